// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

interface IERC20 {
    function transferFrom(address from, address to, uint256 value) external returns (bool);
}

/// What a pool asks of SandboxAToken and SandboxDebtToken. Scaled amounts are those at an index of one.
interface IShares {
    function balanceOf(address account) external view returns (uint256);
    function scaledBalanceOf(address account) external view returns (uint256);
    function scaledTotalSupply() external view returns (uint256);
    function mint(address account, uint256 scaled, uint256 value) external;
    function burn(address account, uint256 scaled, uint256 value) external;
}

interface IATokens is IShares {
    function pay(address to, uint256 amount) external;
}

/// The sandbox's lending pool: the functions of Aave's V3 Pool as far as they are named here, written anew, so that
/// programs for those pools work against it. It is worth nothing and belongs on a sandbox chain.
///
/// It leaves out: liquidation, borrowing at a stable rate and for others, flash loans, e-mode, isolation, caps, fees to
/// a treasury, and rewards. Its prices are those of the genesis block for ever. Interest is not compounded between two
/// calls. Every interest that borrowers owe belongs to suppliers.
///
/// There is no constructor: the genesis block writes the first five variables.
contract SandboxLendingPool {
    /// In the order in which getReservesList has them.
    address[] private reserves;
    /// As Aave packs it: basis points of the loan to value (bits 0-15) and of the liquidation threshold (16-31),
    /// decimals (48-55), active (56), borrowing (58).
    mapping(address asset => uint256) private configuration;
    mapping(address asset => address) private aToken;
    mapping(address asset => address) private debtToken;
    /// Dollars with eight decimals.
    mapping(address asset => uint256) private price;

    struct Interest {
        uint128 liquidityIndex;
        uint128 borrowIndex;
        uint128 liquidityRate;
        uint128 borrowRate;
        uint40 updated; // zero: nobody has called yet, and no interest runs
    }

    mapping(address asset => Interest) private interest;
    mapping(address user => mapping(address asset => bool)) private notCollateral;

    struct ReserveData {
        uint256 configuration;
        uint128 liquidityIndex;
        uint128 currentLiquidityRate;
        uint128 variableBorrowIndex;
        uint128 currentVariableBorrowRate;
        uint128 currentStableBorrowRate;
        uint40 lastUpdateTimestamp;
        uint16 id;
        address aTokenAddress;
        address stableDebtTokenAddress;
        address variableDebtTokenAddress;
        address interestRateStrategyAddress;
        uint128 accruedToTreasury;
        uint128 unbacked;
        uint128 isolationModeTotalDebt;
    }

    uint256 private constant RAY = 1e27;
    uint256 private constant YEAR = 365 days;
    /// What borrowers owe a year: 2 %, and 18 % more where everything is borrowed.
    uint256 private constant BASE_RATE = 0.02e27;
    uint256 private constant SLOPE = 0.18e27;
    uint256 private constant VARIABLE = 2;

    event Supply(
        address indexed reserve, address user, address indexed onBehalfOf, uint256 amount, uint16 indexed referralCode
    );
    event Withdraw(address indexed reserve, address indexed user, address indexed to, uint256 amount);
    event Borrow(
        address indexed reserve,
        address user,
        address indexed onBehalfOf,
        uint256 amount,
        uint8 interestRateMode,
        uint256 borrowRate,
        uint16 indexed referralCode
    );
    event Repay(
        address indexed reserve, address indexed user, address indexed repayer, uint256 amount, bool useATokens
    );
    event ReserveUsedAsCollateralEnabled(address indexed reserve, address indexed user);
    event ReserveUsedAsCollateralDisabled(address indexed reserve, address indexed user);
    event ReserveDataUpdated(
        address indexed reserve,
        uint256 liquidityRate,
        uint256 stableBorrowRate,
        uint256 variableBorrowRate,
        uint256 liquidityIndex,
        uint256 variableBorrowIndex
    );

    // What users call

    /// Takes the asset of the caller; onBehalfOf gets the aTokens.
    function supply(address asset, uint256 amount, address onBehalfOf, uint16 referralCode) external {
        (uint256 index,) = _touch(asset);
        uint256 scaled = amount * RAY / index;
        require(scaled > 0, "the amount is too small");
        _take(asset, amount);
        IATokens(aToken[asset]).mint(onBehalfOf, scaled, amount);
        _setRates(asset);
        emit Supply(asset, msg.sender, onBehalfOf, amount, referralCode);
    }

    /// Takes aTokens of the caller, all with the highest number; to gets the asset.
    function withdraw(address asset, uint256 amount, address to) external returns (uint256) {
        (uint256 index,) = _touch(asset);
        IATokens shares = IATokens(aToken[asset]);
        uint256 balance = shares.balanceOf(msg.sender);
        if (amount == type(uint256).max) amount = balance;
        require(amount > 0 && amount <= balance, "the amount is none that the caller has supplied");
        require(to != address(shares), "the aToken cannot be paid");
        shares.burn(msg.sender, _atMost(_up(amount * RAY, index), shares.scaledBalanceOf(msg.sender)), amount);
        shares.pay(to, amount);
        checkHealth(msg.sender);
        _setRates(asset);
        emit Withdraw(asset, msg.sender, to, amount);
        return amount;
    }

    function borrow(address asset, uint256 amount, uint256 rateMode, uint16 referralCode, address onBehalfOf) external {
        require(rateMode == VARIABLE, "only the variable rate is offered");
        require(onBehalfOf == msg.sender, "nobody borrows for another");
        require(configuration[asset] >> 58 & 1 == 1, "the asset is not lent out");
        (, uint256 index) = _touch(asset);
        require(amount > 0, "the amount is zero");
        IShares(debtToken[asset]).mint(msg.sender, _up(amount * RAY, index), amount);
        IATokens(aToken[asset]).pay(msg.sender, amount);
        _requireCovered(msg.sender);
        _setRates(asset);
        emit Borrow(
            asset, msg.sender, msg.sender, amount, uint8(VARIABLE), interest[asset].borrowRate, referralCode
        );
    }

    /// Pays what onBehalfOf owes, at most amount; all with the highest number, which only the debtor may say.
    function repay(address asset, uint256 amount, uint256 rateMode, address onBehalfOf) external returns (uint256) {
        require(rateMode == VARIABLE, "only the variable rate is offered");
        require(amount != type(uint256).max || onBehalfOf == msg.sender, "of another's debt say how much");
        (, uint256 index) = _touch(asset);
        IShares debt = IShares(debtToken[asset]);
        uint256 owed = debt.balanceOf(onBehalfOf);
        amount = _atMost(amount, owed);
        require(amount > 0, "nothing is paid");
        uint256 scaled = amount == owed ? debt.scaledBalanceOf(onBehalfOf) : amount * RAY / index;
        _take(asset, amount);
        debt.burn(onBehalfOf, scaled, amount);
        _setRates(asset);
        emit Repay(asset, onBehalfOf, msg.sender, amount, false);
        return amount;
    }

    function setUserUseReserveAsCollateral(address asset, bool useAsCollateral) external {
        require(aToken[asset] != address(0), "the pool has no such asset");
        notCollateral[msg.sender][asset] = !useAsCollateral;
        if (useAsCollateral) {
            emit ReserveUsedAsCollateralEnabled(asset, msg.sender);
        } else {
            checkHealth(msg.sender);
            emit ReserveUsedAsCollateralDisabled(asset, msg.sender);
        }
    }

    // What anybody reads

    function getReservesList() external view returns (address[] memory) {
        return reserves;
    }

    function getReserveData(address asset) external view returns (ReserveData memory data) {
        require(aToken[asset] != address(0), "the pool has no such asset");
        Interest memory was = interest[asset];
        (uint256 liquidityRate, uint256 borrowRate) = (was.liquidityRate, was.borrowRate);
        if (was.updated == 0) (liquidityRate, borrowRate) = _rates(asset, RAY, RAY);
        data.configuration = configuration[asset];
        data.liquidityIndex = was.updated == 0 ? uint128(RAY) : was.liquidityIndex;
        data.currentLiquidityRate = uint128(liquidityRate);
        data.variableBorrowIndex = was.updated == 0 ? uint128(RAY) : was.borrowIndex;
        data.currentVariableBorrowRate = uint128(borrowRate);
        data.lastUpdateTimestamp = was.updated;
        while (reserves[data.id] != asset) data.id++;
        data.aTokenAddress = aToken[asset];
        data.variableDebtTokenAddress = debtToken[asset];
    }

    /// How many of the asset one scaled aToken is now, with 27 decimals.
    function getReserveNormalizedIncome(address asset) external view returns (uint256 index) {
        (index,) = _indexes(asset);
    }

    function getReserveNormalizedVariableDebt(address asset) external view returns (uint256 index) {
        (, index) = _indexes(asset);
    }

    /// The pool is its own oracle.
    function getAssetPrice(address asset) external view returns (uint256) {
        return price[asset];
    }

    /// The totals are dollars with eight decimals; threshold and ltv are basis points. The health factor has 18
    /// decimals, and is the highest number where nothing is owed.
    function getUserAccountData(address user)
        public
        view
        returns (
            uint256 totalCollateralBase,
            uint256 totalDebtBase,
            uint256 availableBorrowsBase,
            uint256 currentLiquidationThreshold,
            uint256 ltv,
            uint256 healthFactor
        )
    {
        for (uint256 i = 0; i < reserves.length; i++) {
            (address asset, uint256 bits) = (reserves[i], configuration[reserves[i]]);
            uint256 unit = 10 ** (bits >> 48 & 0xff);
            totalDebtBase += _up(IShares(debtToken[asset]).balanceOf(user) * price[asset], unit);
            if (notCollateral[user][asset]) continue;
            uint256 value = IShares(aToken[asset]).balanceOf(user) * price[asset] / unit;
            totalCollateralBase += value;
            ltv += value * (bits & 0xffff);
            currentLiquidationThreshold += value * (bits >> 16 & 0xffff);
        }
        if (totalCollateralBase > 0) {
            ltv /= totalCollateralBase;
            currentLiquidationThreshold /= totalCollateralBase;
        }
        uint256 most = totalCollateralBase * ltv / 1e4;
        availableBorrowsBase = most > totalDebtBase ? most - totalDebtBase : 0;
        healthFactor = totalDebtBase == 0
            ? type(uint256).max
            : totalCollateralBase * currentLiquidationThreshold * 1e14 / totalDebtBase;
    }

    /// What an aToken asks after a transfer, too.
    function checkHealth(address user) public view {
        (,,,,, uint256 healthFactor) = getUserAccountData(user);
        require(healthFactor >= 1e18, "the health factor would be below one");
    }

    // What the above share

    function _requireCovered(address user) private view {
        (uint256 collateral, uint256 debt,,, uint256 ltv,) = getUserAccountData(user);
        require(debt <= collateral * ltv / 1e4, "the collateral does not cover the debt");
    }

    function _take(address asset, uint256 amount) private {
        require(IERC20(asset).transferFrom(msg.sender, aToken[asset], amount), "the asset was not transferred");
    }

    /// Writes down the interest until now.
    function _touch(address asset) private returns (uint256 liquidityIndex, uint256 borrowIndex) {
        require(aToken[asset] != address(0), "the pool has no such asset");
        (liquidityIndex, borrowIndex) = _indexes(asset);
        Interest storage now_ = interest[asset];
        (now_.liquidityIndex, now_.borrowIndex) = (uint128(liquidityIndex), uint128(borrowIndex));
        now_.updated = uint40(block.timestamp);
    }

    /// The index of suppliers is rounded down and that of borrowers up: nobody can take out what is not there.
    function _indexes(address asset) private view returns (uint256 liquidityIndex, uint256 borrowIndex) {
        Interest memory was = interest[asset];
        if (was.updated == 0) return (RAY, RAY);
        uint256 elapsed = block.timestamp - was.updated;
        uint256 share = RAY * YEAR;
        liquidityIndex = was.liquidityIndex + uint256(was.liquidityIndex) * was.liquidityRate * elapsed / share;
        borrowIndex = was.borrowIndex + _up(uint256(was.borrowIndex) * was.borrowRate * elapsed, share);
    }

    function _setRates(address asset) private {
        Interest storage now_ = interest[asset];
        (uint256 liquidityRate, uint256 borrowRate) = _rates(asset, now_.liquidityIndex, now_.borrowIndex);
        (now_.liquidityRate, now_.borrowRate) = (uint128(liquidityRate), uint128(borrowRate));
        emit ReserveDataUpdated(asset, liquidityRate, 0, borrowRate, now_.liquidityIndex, now_.borrowIndex);
    }

    /// What suppliers get together is what borrowers owe together.
    function _rates(address asset, uint256 liquidityIndex, uint256 borrowIndex)
        private
        view
        returns (uint256 liquidityRate, uint256 borrowRate)
    {
        uint256 supplied = _up(IShares(aToken[asset]).scaledTotalSupply() * liquidityIndex, RAY);
        uint256 owed = IShares(debtToken[asset]).scaledTotalSupply() * borrowIndex / RAY;
        if (supplied == 0) return (0, BASE_RATE);
        borrowRate = BASE_RATE + SLOPE * _atMost(owed, supplied) / supplied;
        liquidityRate = borrowRate * owed / supplied;
    }

    function _up(uint256 a, uint256 b) private pure returns (uint256) {
        return (a + b - 1) / b;
    }

    function _atMost(uint256 a, uint256 b) private pure returns (uint256) {
        return a < b ? a : b;
    }
}
