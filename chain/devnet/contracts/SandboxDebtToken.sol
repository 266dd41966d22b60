// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

interface IPool {
    function getReserveNormalizedVariableDebt(address asset) external view returns (uint256);
}

/// What an account owes SandboxLendingPool of one asset, with the interest. It cannot be transferred.
///
/// There is no constructor: the genesis block writes the first five variables, and what was owed before.
contract SandboxDebtToken {
    string public name;
    string public symbol;
    uint8 public decimals;
    address public POOL;
    address public UNDERLYING_ASSET_ADDRESS;

    uint256 public scaledTotalSupply;
    mapping(address account => uint256) public scaledBalanceOf;

    uint256 private constant RAY = 1e27;

    event Transfer(address indexed from, address indexed to, uint256 value);

    modifier onlyPool() {
        require(msg.sender == POOL, "the caller is not the pool");
        _;
    }

    function balanceOf(address account) external view returns (uint256) {
        return _owed(scaledBalanceOf[account]);
    }

    function totalSupply() external view returns (uint256) {
        return _owed(scaledTotalSupply);
    }

    function mint(address account, uint256 scaled, uint256 value) external onlyPool {
        scaledTotalSupply += scaled;
        scaledBalanceOf[account] += scaled;
        emit Transfer(address(0), account, value);
    }

    function burn(address account, uint256 scaled, uint256 value) external onlyPool {
        scaledTotalSupply -= scaled;
        scaledBalanceOf[account] -= scaled;
        emit Transfer(account, address(0), value);
    }

    /// Rounds up: a debt is never less than what was lent.
    function _owed(uint256 scaled) private view returns (uint256) {
        uint256 index = IPool(POOL).getReserveNormalizedVariableDebt(UNDERLYING_ASSET_ADDRESS);
        return (scaled * index + RAY - 1) / RAY;
    }
}
