// Generated from the networks of the package chain by go generate ./sdk/widget. Do not edit.

export const programs = [
  "11111111111111111111111111111111",
  "1nc1nerator11111111111111111111111111111111",
  "ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL",
  "AddressLookupTab1e1111111111111111111111111",
  "BPFLoader2111111111111111111111111111111111",
  "BPFLoaderUpgradeab1e11111111111111111111111",
  "ComputeBudget111111111111111111111111111111",
  "Config1111111111111111111111111111111111111",
  "Ed25519SigVerify111111111111111111111111111",
  "KeccakSecp256k11111111111111111111111111111",
  "Memo1UhkJRfHyvLMcVucJwxXeuD728EqVDDwQDxFMNo",
  "MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr",
  "NativeLoader1111111111111111111111111111111",
  "Secp256r1SigVerify1111111111111111111111111",
  "So11111111111111111111111111111111111111112",
  "Stake11111111111111111111111111111111111111",
  "Sysvar1111111111111111111111111111111111111",
  "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA",
  "TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb",
  "Vote111111111111111111111111111111111111111"
];

export const sandbox = [
  {
    "slug": "ethereum",
    "kind": "evm",
    "title": "Ethereum Sepolia",
    "names": [
      "ethereum",
      "11155111",
      "sepolia"
    ],
    "chainId": 11155111,
    "typed": "0x and 40 hex digits; mixed case must be EIP-55",
    "native": {
      "symbol": "ETH",
      "decimals": 18
    },
    "tokens": [
      {
        "symbol": "USDC",
        "address": "0x1c7D4B196Cb0C7B01d743Fbc6116a902379C7238",
        "decimals": 6
      },
      {
        "symbol": "WETH",
        "address": "0xfFf9976782d46CC05630D1f6eBAb18b2324d6B14",
        "decimals": 18
      }
    ]
  },
  {
    "slug": "base",
    "kind": "evm",
    "title": "Base Sepolia",
    "names": [
      "base",
      "84532",
      "base-sepolia"
    ],
    "chainId": 84532,
    "typed": "0x and 40 hex digits; mixed case must be EIP-55",
    "native": {
      "symbol": "ETH",
      "decimals": 18
    },
    "tokens": [
      {
        "symbol": "USDC",
        "address": "0x036CbD53842c5426634e7929541eC2318f3dCF7e",
        "decimals": 6
      },
      {
        "symbol": "WETH",
        "address": "0x4200000000000000000000000000000000000006",
        "decimals": 18
      }
    ]
  },
  {
    "slug": "polygon",
    "kind": "evm",
    "title": "Polygon Amoy",
    "names": [
      "polygon",
      "80002",
      "polygon-amoy"
    ],
    "chainId": 80002,
    "typed": "0x and 40 hex digits; mixed case must be EIP-55",
    "native": {
      "symbol": "POL",
      "decimals": 18
    },
    "tokens": [
      {
        "symbol": "USDC",
        "address": "0x41E94Eb019C0762f9Bfcf9Fb1E58725BfB0e7582",
        "decimals": 6
      },
      {
        "symbol": "USDT",
        "address": "0x502465eB63Af51B4d81021d5F9982E1AAD6eEfC6",
        "decimals": 6
      },
      {
        "symbol": "WPOL",
        "address": "0x360ad4f9a9A8EFe9A8DCB5f461c4Cc1047E1Dcf9",
        "decimals": 18
      }
    ]
  },
  {
    "slug": "arbitrum",
    "kind": "evm",
    "title": "Arbitrum Sepolia",
    "names": [
      "arbitrum",
      "421614",
      "arbitrum-sepolia"
    ],
    "chainId": 421614,
    "typed": "0x and 40 hex digits; mixed case must be EIP-55",
    "native": {
      "symbol": "ETH",
      "decimals": 18
    },
    "tokens": [
      {
        "symbol": "USDC",
        "address": "0x75faf114eafb1BDbe2F0316DF893fd58CE46AA4d",
        "decimals": 6
      },
      {
        "symbol": "USDT",
        "address": "0x39f9F06AEF7ADA89AAE50986BdB67E8494f235F9",
        "decimals": 6
      },
      {
        "symbol": "WETH",
        "address": "0x980B62Da83eFf3D4576C647993b0c1D7faf17c73",
        "decimals": 18
      }
    ]
  },
  {
    "slug": "optimism",
    "kind": "evm",
    "title": "OP Sepolia",
    "names": [
      "optimism",
      "11155420",
      "optimism-sepolia"
    ],
    "chainId": 11155420,
    "typed": "0x and 40 hex digits; mixed case must be EIP-55",
    "native": {
      "symbol": "ETH",
      "decimals": 18
    },
    "tokens": [
      {
        "symbol": "USDC",
        "address": "0x5fd84259d66Cd46123540766Be93DFE6D43130D7",
        "decimals": 6
      },
      {
        "symbol": "WETH",
        "address": "0x4200000000000000000000000000000000000006",
        "decimals": 18
      }
    ]
  },
  {
    "slug": "avalanche_c_chain",
    "kind": "evm",
    "title": "Avalanche Fuji",
    "names": [
      "avalanche_c_chain",
      "43113",
      "fuji",
      "avalanche-fuji"
    ],
    "chainId": 43113,
    "typed": "0x and 40 hex digits; mixed case must be EIP-55",
    "native": {
      "symbol": "AVAX",
      "decimals": 18
    },
    "tokens": [
      {
        "symbol": "USDC",
        "address": "0x5425890298aed601595a70AB815c96711a31Bc65",
        "decimals": 6
      },
      {
        "symbol": "WAVAX",
        "address": "0xd00ae08403B9bbb9124bB305C09058E32C39A48c",
        "decimals": 18
      }
    ]
  },
  {
    "slug": "solana",
    "kind": "solana",
    "title": "Solana Devnet",
    "names": [
      "solana"
    ],
    "cluster": "devnet",
    "typed": "base58 of 32 bytes",
    "native": {
      "symbol": "SOL",
      "decimals": 9
    },
    "tokens": [
      {
        "symbol": "USDC",
        "address": "4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU",
        "decimals": 6
      },
      {
        "symbol": "USDT",
        "address": "7wTgMzn2aMt3uf9BJyp7U4BPnUzd1nG12cmgwCK8VNeD",
        "decimals": 6
      }
    ]
  },
  {
    "slug": "tron",
    "kind": "tron",
    "title": "Tron Nile",
    "names": [
      "tron"
    ],
    "cluster": "nile",
    "typed": "base58check that begins with T",
    "native": {
      "symbol": "TRX",
      "decimals": 6
    },
    "tokens": [
      {
        "symbol": "USDT",
        "address": "TDr6eSZVxMk1CxtrCwd6VvpLQFYCowKsDK",
        "decimals": 6
      }
    ]
  }
];

export const production = [
  {
    "slug": "ethereum",
    "kind": "evm",
    "title": "Ethereum",
    "names": [
      "ethereum",
      "1",
      "ethereum",
      "mainnet"
    ],
    "chainId": 1,
    "typed": "0x and 40 hex digits; mixed case must be EIP-55",
    "native": {
      "symbol": "ETH",
      "decimals": 18
    },
    "tokens": [
      {
        "symbol": "USDC",
        "address": "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48",
        "decimals": 6
      },
      {
        "symbol": "USDT",
        "address": "0xdAC17F958D2ee523a2206206994597C13D831ec7",
        "decimals": 6
      },
      {
        "symbol": "WETH",
        "address": "0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2",
        "decimals": 18
      }
    ],
    "explorer": "https://etherscan.io/tx/%s"
  },
  {
    "slug": "base",
    "kind": "evm",
    "title": "Base",
    "names": [
      "base",
      "8453"
    ],
    "chainId": 8453,
    "typed": "0x and 40 hex digits; mixed case must be EIP-55",
    "native": {
      "symbol": "ETH",
      "decimals": 18
    },
    "tokens": [
      {
        "symbol": "USDC",
        "address": "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
        "decimals": 6
      },
      {
        "symbol": "WETH",
        "address": "0x4200000000000000000000000000000000000006",
        "decimals": 18
      }
    ],
    "explorer": "https://basescan.org/tx/%s"
  },
  {
    "slug": "polygon",
    "kind": "evm",
    "title": "Polygon PoS",
    "names": [
      "polygon",
      "137"
    ],
    "chainId": 137,
    "typed": "0x and 40 hex digits; mixed case must be EIP-55",
    "native": {
      "symbol": "POL",
      "decimals": 18
    },
    "tokens": [
      {
        "symbol": "USDC",
        "address": "0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359",
        "decimals": 6
      },
      {
        "symbol": "USDT",
        "address": "0xc2132D05D31c914a87C6611C10748AEb04B58e8F",
        "decimals": 6
      },
      {
        "symbol": "WPOL",
        "address": "0x0d500B1d8E8eF31E21C99d1Db9A6444d3ADf1270",
        "decimals": 18
      }
    ],
    "explorer": "https://polygonscan.com/tx/%s"
  },
  {
    "slug": "arbitrum",
    "kind": "evm",
    "title": "Arbitrum One",
    "names": [
      "arbitrum",
      "42161"
    ],
    "chainId": 42161,
    "typed": "0x and 40 hex digits; mixed case must be EIP-55",
    "native": {
      "symbol": "ETH",
      "decimals": 18
    },
    "tokens": [
      {
        "symbol": "USDC",
        "address": "0xaf88d065e77c8cC2239327C5EDb3A432268e5831",
        "decimals": 6
      },
      {
        "symbol": "USDT",
        "address": "0xFd086bC7CD5C481DCC9C85ebE478A1C0b69FCbb9",
        "decimals": 6
      },
      {
        "symbol": "WETH",
        "address": "0x82aF49447D8a07e3bd95BD0d56f35241523fBab1",
        "decimals": 18
      }
    ],
    "explorer": "https://arbiscan.io/tx/%s"
  },
  {
    "slug": "optimism",
    "kind": "evm",
    "title": "OP Mainnet",
    "names": [
      "optimism",
      "10"
    ],
    "chainId": 10,
    "typed": "0x and 40 hex digits; mixed case must be EIP-55",
    "native": {
      "symbol": "ETH",
      "decimals": 18
    },
    "tokens": [
      {
        "symbol": "USDC",
        "address": "0x0b2C639c533813f4Aa9D7837CAf62653d097Ff85",
        "decimals": 6
      },
      {
        "symbol": "WETH",
        "address": "0x4200000000000000000000000000000000000006",
        "decimals": 18
      }
    ],
    "explorer": "https://optimistic.etherscan.io/tx/%s"
  },
  {
    "slug": "avalanche_c_chain",
    "kind": "evm",
    "title": "Avalanche C-Chain",
    "names": [
      "avalanche_c_chain",
      "43114",
      "avalanche"
    ],
    "chainId": 43114,
    "typed": "0x and 40 hex digits; mixed case must be EIP-55",
    "native": {
      "symbol": "AVAX",
      "decimals": 18
    },
    "tokens": [
      {
        "symbol": "USDC",
        "address": "0xB97EF9Ef8734C71904D8002F8b6Bc66Dd9c48a6E",
        "decimals": 6
      },
      {
        "symbol": "USDT",
        "address": "0x9702230A8Ea53601f5cD2dc00fDBc13d4dF4A8c7",
        "decimals": 6
      },
      {
        "symbol": "WAVAX",
        "address": "0xB31f66AA3C1e785363F0875A1B74E27b85FD66c7",
        "decimals": 18
      }
    ],
    "explorer": "https://snowtrace.io/tx/%s"
  },
  {
    "slug": "solana",
    "kind": "solana",
    "title": "Solana",
    "names": [
      "solana"
    ],
    "cluster": "mainnet",
    "typed": "base58 of 32 bytes",
    "native": {
      "symbol": "SOL",
      "decimals": 9
    },
    "tokens": [
      {
        "symbol": "USDC",
        "address": "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v",
        "decimals": 6
      },
      {
        "symbol": "USDT",
        "address": "Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB",
        "decimals": 6
      }
    ],
    "explorer": "https://explorer.solana.com/tx/%s"
  },
  {
    "slug": "tron",
    "kind": "tron",
    "title": "Tron",
    "names": [
      "tron"
    ],
    "cluster": "mainnet",
    "typed": "base58check that begins with T",
    "native": {
      "symbol": "TRX",
      "decimals": 6
    },
    "tokens": [
      {
        "symbol": "USDT",
        "address": "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t",
        "decimals": 6
      }
    ],
    "explorer": "https://tronscan.org/#/transaction/%s"
  }
];
