// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {SandboxRouterBase} from "./SandboxRouterBase.sol";

/// The sandbox's router with the functions of V2Router02. It removes no liquidity, and knows no token that keeps a
/// part of what is transferred.
contract SandboxRouter is SandboxRouterBase {
    function WETH() external view returns (address) {
        return wrapped;
    }

    function swapExactETHForTokens(uint256 amountOutMin, address[] calldata path, address to, uint256 deadline)
        external
        payable
        before(deadline)
        returns (uint256[] memory amounts)
    {
        return _coinForTokens(amountOutMin, path, to);
    }

    function swapETHForExactTokens(uint256 amountOut, address[] calldata path, address to, uint256 deadline)
        external
        payable
        before(deadline)
        returns (uint256[] memory amounts)
    {
        return _coinForExactTokens(amountOut, path, to);
    }

    function swapExactTokensForETH(
        uint256 amountIn,
        uint256 amountOutMin,
        address[] calldata path,
        address to,
        uint256 deadline
    ) external before(deadline) returns (uint256[] memory amounts) {
        return _tokensForCoin(amountIn, amountOutMin, path, to);
    }

    function swapTokensForExactETH(
        uint256 amountOut,
        uint256 amountInMax,
        address[] calldata path,
        address to,
        uint256 deadline
    ) external before(deadline) returns (uint256[] memory amounts) {
        return _tokensForExactCoin(amountOut, amountInMax, path, to);
    }

    function addLiquidityETH(
        address token,
        uint256 amountTokenDesired,
        uint256 amountTokenMin,
        uint256 amountETHMin,
        address to,
        uint256 deadline
    ) external payable before(deadline) returns (uint256 amountToken, uint256 amountETH, uint256 liquidity) {
        return _addLiquidityCoin(token, amountTokenDesired, amountTokenMin, amountETHMin, to);
    }
}
