// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

interface IPooledToken {
    function balanceOf(address account) external view returns (uint256);
    function transfer(address to, uint256 value) external returns (bool);
    function transferFrom(address from, address to, uint256 value) external returns (bool);
}

/// A pool of two tokens with the interface of the exchanges' second version: whoever sends one token in may take so
/// much of the other that the product of both reserves does not fall, after 0.3 % of what came in. Shares of the pool
/// are a token of their own.
///
/// It has no price history (the cumulative prices), no fee to anybody but the pool, no permit for its shares and no
/// loans within a swap (the callback). The genesis block writes the variables of the first pools.
contract SandboxPair {
    address public factory;
    address public token0;
    address public token1;
    uint112 private reserve0;
    uint112 private reserve1;
    uint32 private blockTimestampLast;
    bool private locked;

    uint256 public totalSupply;
    mapping(address account => uint256) public balanceOf;
    mapping(address owner => mapping(address spender => uint256)) public allowance;

    string public constant name = "Sandbox Pool";
    string public constant symbol = "POOL";
    uint8 public constant decimals = 18;
    /// The first shares are nobody's, so that no share can be made so dear that nobody else can buy one.
    uint256 public constant MINIMUM_LIQUIDITY = 1000;

    event Transfer(address indexed from, address indexed to, uint256 value);
    event Approval(address indexed owner, address indexed spender, uint256 value);
    event Mint(address indexed sender, uint256 amount0, uint256 amount1);
    event Burn(address indexed sender, uint256 amount0, uint256 amount1, address indexed to);
    event Swap(
        address indexed sender,
        uint256 amount0In,
        uint256 amount1In,
        uint256 amount0Out,
        uint256 amount1Out,
        address indexed to
    );
    event Sync(uint112 reserve0, uint112 reserve1);

    /// A token that calls back while it is paid out finds the pool shut.
    modifier lock() {
        require(!locked, "pool: locked");
        locked = true;
        _;
        locked = false;
    }

    constructor() {
        factory = msg.sender;
    }

    function initialize(address first, address second) external {
        require(msg.sender == factory, "pool: not the factory");
        token0 = first;
        token1 = second;
    }

    function getReserves() public view returns (uint112, uint112, uint32) {
        return (reserve0, reserve1, blockTimestampLast);
    }

    // Swaps

    function swap(uint256 amount0Out, uint256 amount1Out, address to, bytes calldata data) external lock {
        require(data.length == 0, "pool: no loans");
        require(amount0Out > 0 || amount1Out > 0, "pool: nothing is taken");
        require(amount0Out < reserve0 && amount1Out < reserve1, "pool: more than it has");
        require(to != token0 && to != token1, "pool: receiver is a token");
        _pay(token0, to, amount0Out);
        _pay(token1, to, amount1Out);
        (uint256 balance0, uint256 balance1) = _balances();
        uint256 amount0In = _paidIn(balance0, reserve0, amount0Out);
        uint256 amount1In = _paidIn(balance1, reserve1, amount1Out);
        require(amount0In > 0 || amount1In > 0, "pool: nothing is paid");
        require(
            (balance0 * 1000 - amount0In * 3) * (balance1 * 1000 - amount1In * 3)
                >= uint256(reserve0) * reserve1 * 1000 ** 2,
            "pool: product falls"
        );
        _update(balance0, balance1);
        emit Swap(msg.sender, amount0In, amount1In, amount0Out, amount1Out, to);
    }

    function sync() external lock {
        (uint256 balance0, uint256 balance1) = _balances();
        _update(balance0, balance1);
    }

    /// Gives away what was sent to the pool without a swap.
    function skim(address to) external lock {
        (uint256 balance0, uint256 balance1) = _balances();
        _pay(token0, to, balance0 - reserve0);
        _pay(token1, to, balance1 - reserve1);
    }

    // Shares

    function mint(address to) external lock returns (uint256 liquidity) {
        (uint256 balance0, uint256 balance1) = _balances();
        uint256 amount0 = balance0 - reserve0;
        uint256 amount1 = balance1 - reserve1;
        if (totalSupply == 0) {
            liquidity = _root(amount0 * amount1) - MINIMUM_LIQUIDITY;
            _mint(address(0), MINIMUM_LIQUIDITY);
        } else {
            uint256 by0 = amount0 * totalSupply / reserve0;
            uint256 by1 = amount1 * totalSupply / reserve1;
            liquidity = by0 < by1 ? by0 : by1;
        }
        require(liquidity > 0, "pool: too little for a share");
        _mint(to, liquidity);
        _update(balance0, balance1);
        emit Mint(msg.sender, amount0, amount1);
    }

    function burn(address to) external lock returns (uint256 amount0, uint256 amount1) {
        (uint256 balance0, uint256 balance1) = _balances();
        uint256 liquidity = balanceOf[address(this)];
        amount0 = liquidity * balance0 / totalSupply;
        amount1 = liquidity * balance1 / totalSupply;
        require(amount0 > 0 && amount1 > 0, "pool: too few shares");
        balanceOf[address(this)] = 0;
        totalSupply -= liquidity;
        emit Transfer(address(this), address(0), liquidity);
        _pay(token0, to, amount0);
        _pay(token1, to, amount1);
        (balance0, balance1) = _balances();
        _update(balance0, balance1);
        emit Burn(msg.sender, amount0, amount1, to);
    }

    function approve(address spender, uint256 value) external returns (bool) {
        allowance[msg.sender][spender] = value;
        emit Approval(msg.sender, spender, value);
        return true;
    }

    function transfer(address to, uint256 value) external returns (bool) {
        _move(msg.sender, to, value);
        return true;
    }

    function transferFrom(address from, address to, uint256 value) external returns (bool) {
        if (allowance[from][msg.sender] != type(uint256).max) {
            allowance[from][msg.sender] -= value;
        }
        _move(from, to, value);
        return true;
    }

    // What several of the above share

    function _move(address from, address to, uint256 value) private {
        balanceOf[from] -= value;
        balanceOf[to] += value;
        emit Transfer(from, to, value);
    }

    function _mint(address to, uint256 value) private {
        totalSupply += value;
        balanceOf[to] += value;
        emit Transfer(address(0), to, value);
    }

    function _balances() private view returns (uint256, uint256) {
        return (IPooledToken(token0).balanceOf(address(this)), IPooledToken(token1).balanceOf(address(this)));
    }

    function _pay(address token, address to, uint256 amount) private {
        if (amount > 0) {
            require(IPooledToken(token).transfer(to, amount), "pool: token is not paid out");
        }
    }

    function _paidIn(uint256 balance, uint256 reserve, uint256 out) private pure returns (uint256) {
        return balance > reserve - out ? balance - (reserve - out) : 0;
    }

    function _update(uint256 balance0, uint256 balance1) private {
        require(balance0 <= type(uint112).max && balance1 <= type(uint112).max, "pool: too much");
        reserve0 = uint112(balance0);
        reserve1 = uint112(balance1);
        blockTimestampLast = uint32(block.timestamp);
        emit Sync(reserve0, reserve1);
    }

    /// The greatest number whose square is at most n, by Newton's steps from above.
    function _root(uint256 n) private pure returns (uint256 root) {
        root = n;
        uint256 next = n / 2 + 1;
        while (next < root) {
            root = next;
            next = (n / next + next) / 2;
        }
    }
}
