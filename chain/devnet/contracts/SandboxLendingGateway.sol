// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

interface IWrapped {
    function deposit() external payable;
    function withdraw(uint256 amount) external;
    function approve(address spender, uint256 value) external returns (bool);
}

interface IAToken {
    function balanceOf(address account) external view returns (uint256);
    function transferFrom(address from, address to, uint256 value) external returns (bool);
}

interface IPool {
    function supply(address asset, uint256 amount, address onBehalfOf, uint16 referralCode) external;
    function withdraw(address asset, uint256 amount, address to) external returns (uint256);
}

/// Takes and gives back the network's own coin for SandboxLendingPool, which knows tokens only. The two functions have
/// the form of Aave's WrappedTokenGatewayV3, which does not look at their first argument either.
///
/// There is no constructor: the genesis block writes the variables.
contract SandboxLendingGateway {
    address public WETH;
    address public POOL;
    address public AWETH;

    /// Supplies the coins that come with the call; onBehalfOf gets the aTokens.
    function depositETH(address, address onBehalfOf, uint16 referralCode) external payable {
        IWrapped(WETH).deposit{value: msg.value}();
        IWrapped(WETH).approve(POOL, msg.value);
        IPool(POOL).supply(WETH, msg.value, onBehalfOf, referralCode);
    }

    /// Takes aTokens that the caller has approved, all with the highest number; to gets coins.
    function withdrawETH(address, uint256 amount, address to) external {
        if (amount == type(uint256).max) amount = IAToken(AWETH).balanceOf(msg.sender);
        require(IAToken(AWETH).transferFrom(msg.sender, address(this), amount), "the aTokens were not transferred");
        IPool(POOL).withdraw(WETH, amount, address(this));
        IWrapped(WETH).withdraw(amount);
        (bool paid,) = to.call{value: amount}("");
        require(paid, "the receiver refuses the coins");
    }

    receive() external payable {
        require(msg.sender == WETH, "coins come by depositETH");
    }
}
