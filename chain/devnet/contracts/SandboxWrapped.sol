// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// The network's own coin in the form of a token, with the interface that wrapped coins have on every network (WETH).
/// It keeps the coin one for one: whoever sends some has as much of the token, and gets it back for the token.
///
/// There is no constructor: the genesis block writes the name, the symbol and the balances that it backs with coin.
contract SandboxWrapped {
    string public name;
    string public symbol;
    mapping(address account => uint256) public balanceOf;
    mapping(address owner => mapping(address spender => uint256)) public allowance;

    uint8 public constant decimals = 18;

    event Transfer(address indexed src, address indexed dst, uint256 wad);
    event Approval(address indexed src, address indexed guy, uint256 wad);
    event Deposit(address indexed dst, uint256 wad);
    event Withdrawal(address indexed src, uint256 wad);

    receive() external payable {
        deposit();
    }

    function deposit() public payable {
        balanceOf[msg.sender] += msg.value;
        emit Deposit(msg.sender, msg.value);
    }

    function withdraw(uint256 wad) external {
        _take(msg.sender, wad);
        emit Withdrawal(msg.sender, wad);
        (bool ok,) = msg.sender.call{value: wad}("");
        require(ok, "the coin is not taken");
    }

    /// What the contract keeps, also of who sent it none through deposit.
    function totalSupply() external view returns (uint256) {
        return address(this).balance;
    }

    function approve(address guy, uint256 wad) external returns (bool) {
        allowance[msg.sender][guy] = wad;
        emit Approval(msg.sender, guy, wad);
        return true;
    }

    function transfer(address dst, uint256 wad) external returns (bool) {
        return transferFrom(msg.sender, dst, wad);
    }

    /// An allowance of the greatest number is not used up.
    function transferFrom(address src, address dst, uint256 wad) public returns (bool) {
        uint256 allowed = allowance[src][msg.sender];
        if (src != msg.sender && allowed != type(uint256).max) {
            require(allowed >= wad, "transfer amount exceeds allowance");
            allowance[src][msg.sender] = allowed - wad;
        }
        _take(src, wad);
        balanceOf[dst] += wad;
        emit Transfer(src, dst, wad);
        return true;
    }

    function _take(address src, uint256 wad) private {
        require(balanceOf[src] >= wad, "amount exceeds balance");
        balanceOf[src] -= wad;
    }
}
