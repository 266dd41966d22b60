// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {SandboxRouterBase} from "./SandboxRouterBase.sol";

/// The same router with the names that Avalanche's exchanges have for the network's own coin.
contract SandboxRouterAVAX is SandboxRouterBase {
    function WAVAX() external view returns (address) {
        return wrapped;
    }

    function swapExactAVAXForTokens(uint256 amountOutMin, address[] calldata path, address to, uint256 deadline)
        external
        payable
        before(deadline)
        returns (uint256[] memory amounts)
    {
        return _coinForTokens(amountOutMin, path, to);
    }

    function swapAVAXForExactTokens(uint256 amountOut, address[] calldata path, address to, uint256 deadline)
        external
        payable
        before(deadline)
        returns (uint256[] memory amounts)
    {
        return _coinForExactTokens(amountOut, path, to);
    }

    function swapExactTokensForAVAX(
        uint256 amountIn,
        uint256 amountOutMin,
        address[] calldata path,
        address to,
        uint256 deadline
    ) external before(deadline) returns (uint256[] memory amounts) {
        return _tokensForCoin(amountIn, amountOutMin, path, to);
    }

    function swapTokensForExactAVAX(
        uint256 amountOut,
        uint256 amountInMax,
        address[] calldata path,
        address to,
        uint256 deadline
    ) external before(deadline) returns (uint256[] memory amounts) {
        return _tokensForExactCoin(amountOut, amountInMax, path, to);
    }

    function addLiquidityAVAX(
        address token,
        uint256 amountTokenDesired,
        uint256 amountTokenMin,
        uint256 amountAVAXMin,
        address to,
        uint256 deadline
    ) external payable before(deadline) returns (uint256 amountToken, uint256 amountAVAX, uint256 liquidity) {
        return _addLiquidityCoin(token, amountTokenDesired, amountTokenMin, amountAVAXMin, to);
    }
}
