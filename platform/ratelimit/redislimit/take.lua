-- Counts one call of one caller in an exact sliding window, as one step that
-- nothing comes between. KEYS[1] is a sorted set of the calls that were admitted,
-- by their instants; ARGV: the window in microseconds, the limit.
local key, window, limit = KEYS[1], tonumber(ARGV[1]), tonumber(ARGV[2])

-- The clock is this server's own: processes whose clocks differ would each see
-- another window. Microseconds fit a double exactly until the year 2255, but
-- Lua's own conversion to text keeps 14 digits, hence text().
local clock = redis.call('TIME')
local now = clock[1] * 1000000 + clock[2]
local function text(n) return string.format('%.0f', n) end

redis.call('ZREMRANGEBYSCORE', key, '-inf', text(now - window))

-- Calls of the future were counted before the clock was set back: they count as
-- of now.
for _, call in ipairs(redis.call('ZRANGEBYSCORE', key, '(' .. text(now), '+inf')) do
	redis.call('ZADD', key, text(now), call)
end

local count = redis.call('ZCARD', key)
local admitted = count < limit
if admitted then
	-- Several calls may share a microsecond: each has a name of its own.
	local nth = 0
	while redis.call('ZADD', key, 'NX', text(now), text(now) .. ':' .. nth) == 0 do
		nth = nth + 1
	end
	count = count + 1
	-- Only what nobody asks for any more expires; what counts is decided above.
	-- A second more, since expiry is in milliseconds of a clock read earlier.
	redis.call('PEXPIRE', key, text(math.ceil(window / 1000) + 1000))
end

-- Room comes when the call leaves that is as many from the end as the limit.
local rank = math.max(0, count - limit)
local leaving = redis.call('ZRANGE', key, rank, rank, 'WITHSCORES')[2]
return {admitted and 1 or 0, count, leaving + window - now, now}
