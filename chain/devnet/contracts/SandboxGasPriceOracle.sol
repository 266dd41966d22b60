// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// The sandbox's stand-in for the GasPriceOracle that OP-stack chains have at
/// 0x420000000000000000000000000000000000000F: the same functions, units and formula as there since the Fjord and
/// Isthmus upgrades, with an L1 whose prices never move. It only tells: the devnet deducts no L1 data fee from anybody.
///
/// Everything is a constant. The genesis block holds the code and no storage.
contract SandboxGasPriceOracle {
    bool public constant isEcotone = true;
    bool public constant isFjord = true;
    bool public constant isIsthmus = true;

    /// Of both scalars: they are millionths.
    uint256 public constant decimals = 6;
    uint256 public constant l1BaseFee = 0.1 gwei;
    /// A sixteenth of l1BaseFee: about the lowest that EIP-7918 lets blobs cost on the L1.
    uint256 public constant blobBaseFee = 6_250_000;
    uint32 public constant baseFeeScalar = 2269;
    uint32 public constant blobBaseFeeScalar = 1_055_762;

    /// What a signature adds to an unsigned transaction, as the OP stack counts it: the callers here have none yet.
    uint256 private constant SIGNATURE_BYTES = 68;

    /// FastLZ: how many values the hash of three bytes can have, and how far back a repetition may point.
    uint256 private constant HASHES = 8192;
    uint256 private constant MAX_DISTANCE = 8191;

    function gasPrice() external view returns (uint256) {
        return block.basefee;
    }

    function baseFee() external view returns (uint256) {
        return block.basefee;
    }

    /// The L1 data fee in wei of an unsigned transaction, serialized as it would be signed. It takes about 400 gas a
    /// byte: 90,000 bytes fit into an eth_call of 50 million gas.
    function getL1Fee(bytes calldata unsignedTx) external pure returns (uint256) {
        return l1Fee(fastLZLength(unsignedTx) + SIGNATURE_BYTES);
    }

    /// The L1 data fee of an unsigned transaction of that many bytes, if FastLZ adds a byte to each 255 and 16 more. It
    /// is no upper bound for long ones: FastLZ adds a byte to each 32 that repeat nothing.
    function getL1FeeUpperBound(uint256 unsignedTxSize) external pure returns (uint256) {
        uint256 size = unsignedTxSize + SIGNATURE_BYTES;
        return l1Fee(size + size / 255 + 16);
    }

    /// The operator fee in wei of a transaction that uses that much gas: none.
    function getOperatorFee(uint256) external pure returns (uint256) {
        return 0;
    }

    /// Fjord's estimate of what a transaction adds to a compressed batch, in millionths of a byte and 100 bytes at
    /// least, at the price of a byte on the L1.
    function l1Fee(uint256 fastLZBytes) private pure returns (uint256) {
        uint256 estimate = 836_500 * fastLZBytes;
        estimate = estimate > 142_585_600 ? estimate - 42_585_600 : 100_000_000;
        return estimate * (16 * l1BaseFee * baseFeeScalar + blobBaseFee * blobBaseFeeScalar) / 1e12;
    }

    /// How many bytes FastLZ (level 1) makes of data. It goes from left to right: three bytes that stand within the
    /// 8191 before too begin a repetition, and all others are literals. Of three bytes only the last place is
    /// remembered, by hash. Example: 1000 equal bytes become 21, of 2 literals (3 bytes), a repetition of 993 (12) and
    /// 5 literals (6).
    function fastLZLength(bytes calldata data) private pure returns (uint256 length) {
        if (data.length < 17) {
            return literals(data.length); // nothing repeats in what begins or ends the data
        }
        unchecked {
            uint256[] memory places = new uint256[](HASHES);
            uint256 end = data.length - 14;
            uint256 counted = 0; // bytes of data that are in length
            uint256 pos = 2;
            while (pos < end) {
                uint256 three = threeBytes(data, pos);
                uint256 slot = hash(three);
                uint256 earlier = places[slot];
                places[slot] = pos;
                if (pos - earlier > MAX_DISTANCE || three != threeBytes(data, earlier)) {
                    ++pos;
                    continue;
                }
                uint256 compared = compare(data, earlier + 3, pos + 3);
                length += literals(pos - counted) + repetition(compared);
                pos += compared;
                places[hash(threeBytes(data, pos))] = pos;
                ++pos;
                places[hash(threeBytes(data, pos))] = pos;
                ++pos;
                counted = pos;
            }
            return length + literals(data.length - counted);
        }
    }

    /// How many bytes from two places on are compared until they differ, the differing one included. The last four
    /// bytes of data are left out.
    function compare(bytes calldata data, uint256 earlier, uint256 pos) private pure returns (uint256 compared) {
        unchecked {
            uint256 most = data.length - 4 - pos;
            while (compared < most) {
                ++compared;
                if (data[earlier + compared - 1] != data[pos + compared - 1]) {
                    return compared;
                }
            }
        }
    }

    /// Literals stand in groups of 32 with a byte before each.
    function literals(uint256 n) private pure returns (uint256) {
        return n + (n + 31) / 32;
    }

    /// A repetition of up to 8 bytes takes two bytes, a longer one three for each 262.
    function repetition(uint256 compared) private pure returns (uint256) {
        unchecked {
            uint256 rest = (compared - 1) % 262;
            return (compared - 1) / 262 * 3 + (rest < 6 ? 2 : 3);
        }
    }

    /// Its callers stay within data. A slice would look that up at each byte.
    function threeBytes(bytes calldata data, uint256 pos) private pure returns (uint256 three) {
        assembly ("memory-safe") {
            three := shr(232, calldataload(add(data.offset, pos)))
        }
    }

    /// FastLZ reads the first byte as the lowest, and takes 13 bits of the product.
    function hash(uint256 three) private pure returns (uint256) {
        unchecked {
            uint256 turned = (three & 0xff) << 16 | three & 0xff00 | three >> 16;
            return (turned * 2_654_435_769 >> 19) % HASHES;
        }
    }
}
