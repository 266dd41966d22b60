// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {SandboxPair} from "./SandboxPair.sol";

/// Knows the one pool of each two tokens, and makes it for whoever asks. Nobody owns it, and no fee goes to it.
/// The genesis block writes the first pools.
contract SandboxFactory {
    mapping(address tokenA => mapping(address tokenB => address)) public getPair;
    address[] public allPairs;

    event PairCreated(address indexed token0, address indexed token1, address pair, uint256);

    function allPairsLength() external view returns (uint256) {
        return allPairs.length;
    }

    function createPair(address tokenA, address tokenB) external returns (address) {
        require(tokenA != tokenB, "factory: one token twice");
        (address token0, address token1) = tokenA < tokenB ? (tokenA, tokenB) : (tokenB, tokenA);
        require(token0 != address(0), "factory: no token");
        require(getPair[token0][token1] == address(0), "factory: pool exists");
        SandboxPair pair = new SandboxPair{salt: keccak256(abi.encodePacked(token0, token1))}();
        pair.initialize(token0, token1);
        getPair[token0][token1] = address(pair);
        getPair[token1][token0] = address(pair);
        allPairs.push(address(pair));
        emit PairCreated(token0, token1, address(pair), allPairs.length);
        return address(pair);
    }
}
