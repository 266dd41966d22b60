// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {SandboxFactory} from "./SandboxFactory.sol";
import {IPooledToken, SandboxPair} from "./SandboxPair.sol";

interface IWrappedCoin {
    function deposit() external payable;
    function withdraw(uint256 wad) external;
}

/// What the routers of all networks do, whatever the network's own coin is called in their functions. A router keeps
/// nothing: what a caller sells goes from the caller to the first pool, and from the last one to the receiver.
///
/// The genesis block writes both variables.
abstract contract SandboxRouterBase {
    address public factory;
    address internal wrapped;

    modifier before(uint256 deadline) {
        require(deadline >= block.timestamp, "router: deadline has passed");
        _;
    }

    /// Takes the coin of the wrapped coin's contract, and of nobody who sends some by mistake.
    receive() external payable {
        require(msg.sender == wrapped, "router: takes no coin");
    }

    // Arithmetic

    function quote(uint256 amountA, uint256 reserveA, uint256 reserveB) public pure returns (uint256) {
        require(amountA > 0, "router: no amount");
        require(reserveA > 0 && reserveB > 0, "router: empty pool");
        return amountA * reserveB / reserveA;
    }

    function getAmountOut(uint256 amountIn, uint256 reserveIn, uint256 reserveOut) public pure returns (uint256) {
        require(amountIn > 0, "router: nothing is sold");
        require(reserveIn > 0 && reserveOut > 0, "router: empty pool");
        uint256 charged = amountIn * 997;
        return charged * reserveOut / (reserveIn * 1000 + charged);
    }

    function getAmountIn(uint256 amountOut, uint256 reserveIn, uint256 reserveOut) public pure returns (uint256) {
        require(amountOut > 0, "router: nothing is bought");
        require(reserveIn > 0 && reserveOut > amountOut, "router: more than the pool has");
        return reserveIn * amountOut * 1000 / ((reserveOut - amountOut) * 997) + 1;
    }

    function getAmountsOut(uint256 amountIn, address[] memory path) public view returns (uint256[] memory amounts) {
        require(path.length >= 2, "router: path is too short");
        amounts = new uint256[](path.length);
        amounts[0] = amountIn;
        for (uint256 i = 0; i + 1 < path.length; i++) {
            (uint256 reserveIn, uint256 reserveOut) = _reserves(path[i], path[i + 1]);
            amounts[i + 1] = getAmountOut(amounts[i], reserveIn, reserveOut);
        }
    }

    function getAmountsIn(uint256 amountOut, address[] memory path) public view returns (uint256[] memory amounts) {
        require(path.length >= 2, "router: path is too short");
        amounts = new uint256[](path.length);
        amounts[path.length - 1] = amountOut;
        for (uint256 i = path.length - 1; i > 0; i--) {
            (uint256 reserveIn, uint256 reserveOut) = _reserves(path[i - 1], path[i]);
            amounts[i - 1] = getAmountIn(amounts[i], reserveIn, reserveOut);
        }
    }

    // Tokens for tokens

    function swapExactTokensForTokens(
        uint256 amountIn,
        uint256 amountOutMin,
        address[] calldata path,
        address to,
        uint256 deadline
    ) external before(deadline) returns (uint256[] memory amounts) {
        amounts = _atLeast(amountIn, amountOutMin, path);
        _sell(amounts, path, to);
    }

    function swapTokensForExactTokens(
        uint256 amountOut,
        uint256 amountInMax,
        address[] calldata path,
        address to,
        uint256 deadline
    ) external before(deadline) returns (uint256[] memory amounts) {
        amounts = _atMost(amountOut, amountInMax, path);
        _sell(amounts, path, to);
    }

    // Shares of pools

    function addLiquidity(
        address tokenA,
        address tokenB,
        uint256 amountADesired,
        uint256 amountBDesired,
        uint256 amountAMin,
        uint256 amountBMin,
        address to,
        uint256 deadline
    ) external before(deadline) returns (uint256 amountA, uint256 amountB, uint256 liquidity) {
        (amountA, amountB) = _fitting(tokenA, tokenB, amountADesired, amountBDesired);
        require(amountA >= amountAMin && amountB >= amountBMin, "router: pool takes less");
        address pair = _pair(tokenA, tokenB);
        _collect(tokenA, pair, amountA);
        _collect(tokenB, pair, amountB);
        liquidity = SandboxPair(pair).mint(to);
    }

    function _addLiquidityCoin(address token, uint256 desired, uint256 least, uint256 leastCoin, address to)
        internal
        returns (uint256 amount, uint256 coin, uint256 liquidity)
    {
        (amount, coin) = _fitting(token, wrapped, desired, msg.value);
        require(amount >= least && coin >= leastCoin, "router: pool takes less");
        address pair = _pair(token, wrapped);
        _collect(token, pair, amount);
        _wrap(pair, coin);
        liquidity = SandboxPair(pair).mint(to);
        _refund(coin);
    }

    /// As much of both as the pool's reserves have them, at most what is offered. A missing pool is made.
    function _fitting(address tokenA, address tokenB, uint256 offeredA, uint256 offeredB)
        private
        returns (uint256, uint256)
    {
        if (SandboxFactory(factory).getPair(tokenA, tokenB) == address(0)) {
            SandboxFactory(factory).createPair(tokenA, tokenB);
        }
        (uint256 reserveA, uint256 reserveB) = _reserves(tokenA, tokenB);
        if (reserveA == 0 && reserveB == 0) {
            return (offeredA, offeredB);
        }
        uint256 fittingB = quote(offeredA, reserveA, reserveB);
        if (fittingB <= offeredB) {
            return (offeredA, fittingB);
        }
        return (quote(offeredB, reserveB, reserveA), offeredB);
    }

    // The network's own coin, on one side of a swap

    function _coinForTokens(uint256 amountOutMin, address[] calldata path, address to)
        internal
        returns (uint256[] memory amounts)
    {
        require(path[0] == wrapped, "router: path does not start with the coin");
        amounts = _atLeast(msg.value, amountOutMin, path);
        _sellCoin(amounts, path, to);
    }

    function _coinForExactTokens(uint256 amountOut, address[] calldata path, address to)
        internal
        returns (uint256[] memory amounts)
    {
        require(path[0] == wrapped, "router: path does not start with the coin");
        amounts = _atMost(amountOut, msg.value, path);
        _sellCoin(amounts, path, to);
        _refund(amounts[0]);
    }

    function _tokensForCoin(uint256 amountIn, uint256 amountOutMin, address[] calldata path, address to)
        internal
        returns (uint256[] memory amounts)
    {
        amounts = _atLeast(amountIn, amountOutMin, path);
        _buyCoin(amounts, path, to);
    }

    function _tokensForExactCoin(uint256 amountOut, uint256 amountInMax, address[] calldata path, address to)
        internal
        returns (uint256[] memory amounts)
    {
        amounts = _atMost(amountOut, amountInMax, path);
        _buyCoin(amounts, path, to);
    }

    // Steps

    function _atLeast(uint256 amountIn, uint256 amountOutMin, address[] calldata path)
        private
        view
        returns (uint256[] memory amounts)
    {
        amounts = getAmountsOut(amountIn, path);
        require(amounts[path.length - 1] >= amountOutMin, "router: buys less than the minimum");
    }

    function _atMost(uint256 amountOut, uint256 amountInMax, address[] calldata path)
        private
        view
        returns (uint256[] memory amounts)
    {
        amounts = getAmountsIn(amountOut, path);
        require(amounts[0] <= amountInMax, "router: costs more than the maximum");
    }

    function _sell(uint256[] memory amounts, address[] calldata path, address to) private {
        _collect(path[0], _pair(path[0], path[1]), amounts[0]);
        _swap(amounts, path, to);
    }

    function _sellCoin(uint256[] memory amounts, address[] calldata path, address to) private {
        _wrap(_pair(path[0], path[1]), amounts[0]);
        _swap(amounts, path, to);
    }

    function _buyCoin(uint256[] memory amounts, address[] calldata path, address to) private {
        require(path[path.length - 1] == wrapped, "router: path does not end with the coin");
        _sell(amounts, path, address(this));
        uint256 bought = amounts[path.length - 1];
        IWrappedCoin(wrapped).withdraw(bought);
        _send(to, bought);
    }

    /// Every pool pays into the next one; the last one pays the receiver.
    function _swap(uint256[] memory amounts, address[] calldata path, address to) private {
        for (uint256 i = 0; i + 1 < path.length; i++) {
            (address from, address into) = (path[i], path[i + 1]);
            address next = i + 2 < path.length ? _pair(into, path[i + 2]) : to;
            uint256 out = amounts[i + 1];
            (uint256 out0, uint256 out1) = from < into ? (uint256(0), out) : (out, uint256(0));
            SandboxPair(_pair(from, into)).swap(out0, out1, next, "");
        }
    }

    function _pair(address tokenA, address tokenB) private view returns (address pair) {
        pair = SandboxFactory(factory).getPair(tokenA, tokenB);
        require(pair != address(0), "router: no such pool");
    }

    function _reserves(address tokenA, address tokenB) private view returns (uint256, uint256) {
        (uint256 reserve0, uint256 reserve1,) = SandboxPair(_pair(tokenA, tokenB)).getReserves();
        return tokenA < tokenB ? (reserve0, reserve1) : (reserve1, reserve0);
    }

    function _collect(address token, address pair, uint256 amount) private {
        require(IPooledToken(token).transferFrom(msg.sender, pair, amount), "router: token is not taken");
    }

    function _wrap(address pair, uint256 amount) private {
        IWrappedCoin(wrapped).deposit{value: amount}();
        require(IPooledToken(wrapped).transfer(pair, amount), "router: coin is not paid");
    }

    function _refund(uint256 used) private {
        if (msg.value > used) {
            _send(msg.sender, msg.value - used);
        }
    }

    function _send(address to, uint256 amount) private {
        (bool ok,) = to.call{value: amount}("");
        require(ok, "router: receiver takes no coin");
    }
}
