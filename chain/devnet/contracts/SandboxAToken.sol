// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

interface IERC20 {
    function transfer(address to, uint256 value) external returns (bool);
}

interface IPool {
    function getReserveNormalizedIncome(address asset) external view returns (uint256);
    function checkHealth(address user) external view;
}

/// What SandboxLendingPool gives for an asset that is supplied: a token whose balances grow with the interest. It also
/// keeps the asset. Scaled balances are those at an index of one, and do not grow.
///
/// There is no constructor: the genesis block writes the first five variables, and what was supplied before.
contract SandboxAToken {
    string public name;
    string public symbol;
    uint8 public decimals;
    address public POOL;
    address public UNDERLYING_ASSET_ADDRESS;

    uint256 public scaledTotalSupply;
    mapping(address account => uint256) public scaledBalanceOf;
    mapping(address owner => mapping(address spender => uint256)) public allowance;

    uint256 private constant RAY = 1e27;

    event Transfer(address indexed from, address indexed to, uint256 value);
    event Approval(address indexed owner, address indexed spender, uint256 value);

    modifier onlyPool() {
        require(msg.sender == POOL, "the caller is not the pool");
        _;
    }

    function balanceOf(address account) public view returns (uint256) {
        return scaledBalanceOf[account] * _index() / RAY;
    }

    function totalSupply() external view returns (uint256) {
        return scaledTotalSupply * _index() / RAY;
    }

    function approve(address spender, uint256 value) external returns (bool) {
        _approve(msg.sender, spender, value);
        return true;
    }

    function transfer(address to, uint256 value) external returns (bool) {
        _transfer(msg.sender, to, value);
        return true;
    }

    function transferFrom(address from, address to, uint256 value) external returns (bool) {
        uint256 allowed = allowance[from][msg.sender];
        require(allowed >= value, "transfer amount exceeds allowance");
        _approve(from, msg.sender, allowed - value);
        _transfer(from, to, value);
        return true;
    }

    // What the pool calls

    function mint(address account, uint256 scaled, uint256 value) external onlyPool {
        require(account != address(0), "mint to the zero address");
        scaledTotalSupply += scaled;
        scaledBalanceOf[account] += scaled;
        emit Transfer(address(0), account, value);
    }

    function burn(address account, uint256 scaled, uint256 value) external onlyPool {
        scaledTotalSupply -= scaled;
        scaledBalanceOf[account] -= scaled;
        emit Transfer(account, address(0), value);
    }

    /// Hands out the asset that is kept here.
    function pay(address to, uint256 amount) external onlyPool {
        require(IERC20(UNDERLYING_ASSET_ADDRESS).transfer(to, amount), "the asset was not transferred");
    }

    // What the above share

    function _index() private view returns (uint256) {
        return IPool(POOL).getReserveNormalizedIncome(UNDERLYING_ASSET_ADDRESS);
    }

    function _approve(address owner, address spender, uint256 value) private {
        require(spender != address(0), "approve to the zero address");
        allowance[owner][spender] = value;
        emit Approval(owner, spender, value);
    }

    /// Rounds up what leaves, so that the receiver has at least the value. Who owes cannot give his collateral away.
    function _transfer(address from, address to, uint256 value) private {
        require(to != address(0), "transfer to the zero address");
        require(value <= balanceOf(from), "transfer amount exceeds balance");
        uint256 index = _index();
        uint256 scaled = (value * RAY + index - 1) / index;
        if (scaled > scaledBalanceOf[from]) scaled = scaledBalanceOf[from];
        scaledBalanceOf[from] -= scaled;
        scaledBalanceOf[to] += scaled;
        emit Transfer(from, to, value);
        IPool(POOL).checkHealth(from);
    }
}
