// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// The sandbox's dollar token of Tron: TRC-20 with the outer surface and the quirks of the large public one, so that
/// whoever reads it has met them. That one's transfer declares a bool and has no return statement, so that its callers
/// read false although the tokens were moved; its transferFrom returns true. The owner can take a fee of each transfer, stop all of
/// them, and stop those of an account. It is worth nothing and belongs on a sandbox chain.
///
/// There is no constructor: the first block writes names, decimals, owner, and all there is to the owner's balance.
contract SandboxTRC20 {
    string public name;
    string public symbol;
    uint8 public decimals;
    address public owner;
    bool public paused;
    uint256 public basisPointsRate;
    uint256 public maximumFee;

    uint256 public totalSupply;
    mapping(address account => uint256) public balanceOf;
    mapping(address owner => mapping(address spender => uint256)) public allowance;
    mapping(address account => bool) public isBlackListed;

    event Transfer(address indexed from, address indexed to, uint256 value);
    event Approval(address indexed owner, address indexed spender, uint256 value);
    event AddedBlackList(address indexed account);
    event RemovedBlackList(address indexed account);
    event Params(uint256 feeBasisPoints, uint256 maxFee);
    event Pause();
    event Unpause();

    modifier onlyOwner() {
        require(msg.sender == owner, "caller is not the owner");
        _;
    }

    /// False is what a function that returns nothing returns.
    function transfer(address to, uint256 value) external returns (bool) {
        _transfer(msg.sender, to, value);
        return false;
    }

    function transferFrom(address from, address to, uint256 value) external returns (bool) {
        uint256 allowed = allowance[from][msg.sender];
        require(allowed >= value, "transfer amount exceeds allowance");
        if (allowed != type(uint256).max) {
            allowance[from][msg.sender] = allowed - value;
        }
        _transfer(from, to, value);
        return true;
    }

    /// An allowance that is there has to be taken back before there is another one.
    function approve(address spender, uint256 value) external returns (bool) {
        require(value == 0 || allowance[msg.sender][spender] == 0, "change of an allowance that is not zero");
        allowance[msg.sender][spender] = value;
        emit Approval(msg.sender, spender, value);
        return true;
    }

    function calcFee(uint256 value) public view returns (uint256) {
        uint256 fee = value * basisPointsRate / 10000;
        return fee > maximumFee ? maximumFee : fee;
    }

    function setParams(uint256 basisPoints, uint256 maxFee) external onlyOwner {
        require(basisPoints < 20 && maxFee < 50, "fee is too high");
        basisPointsRate = basisPoints;
        maximumFee = maxFee * 10 ** decimals;
        emit Params(basisPointsRate, maximumFee);
    }

    function pause() external onlyOwner {
        paused = true;
        emit Pause();
    }

    function unpause() external onlyOwner {
        paused = false;
        emit Unpause();
    }

    function addBlackList(address account) external onlyOwner {
        isBlackListed[account] = true;
        emit AddedBlackList(account);
    }

    function removeBlackList(address account) external onlyOwner {
        isBlackListed[account] = false;
        emit RemovedBlackList(account);
    }

    function _transfer(address from, address to, uint256 value) private {
        require(!paused, "token is paused");
        require(!isBlackListed[from], "sender is on the black list");
        require(to != address(0), "transfer to the zero address");
        require(balanceOf[from] >= value, "transfer amount exceeds balance");
        uint256 fee = calcFee(value);
        balanceOf[from] -= value;
        balanceOf[to] += value - fee;
        emit Transfer(from, to, value - fee);
        if (fee > 0) {
            balanceOf[owner] += fee;
            emit Transfer(from, owner, fee);
        }
    }
}
