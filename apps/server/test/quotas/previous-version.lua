-- Decides one request, atomically, on Redis's own clock: both windows, strikes and ban.
--
-- KEYS[1]  a hash that holds all there is to know of one caller
-- ARGV     1 cost: 1 to count the request if it is admitted, 0 only to look
--          2 limit of the minute        3 limit of the day; 0 for no such window
--          4 strikes that are borne; -1 for no bans
--          5 grace of an episode        6 length of the strikes' window
--          7 length of a first ban      8 length of the longest ban
--          9 how long a ban is remembered
--         10 the time to decide by, for tests; '' for Redis's own
-- Times and lengths are in milliseconds.
--
-- Returns integers: now, admitted (0 or 1), used and end of the minute, used and end of the day,
-- end of a ban, strikes, and 1 if this request began the ban, else 0. An end of 0 says that there is
-- no such window or ban.

local cost, minute_limit, day_limit = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local threshold, grace, strike_window = tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6])
local first_ban, longest_ban, memory = tonumber(ARGV[7]), tonumber(ARGV[8]), tonumber(ARGV[9])
local MINUTE, DAY = 60000, 86400000

local now = tonumber(ARGV[10])
if not now then
  local time = redis.call('TIME')
  now = time[1] * 1000 + math.floor(time[2] / 1000)
end

local fields = redis.call('HMGET', KEYS[1],
  'minute_used', 'minute_ends', 'day_used', 'day_ends', 'episode_began', 'episode_ends',
  'strikes', 'strikes_end', 'ban_ends', 'bans', 'bans_end')
for i = 1, #fields do
  fields[i] = tonumber(fields[i] or 0)
end
local minute_used, minute_ends, day_used, day_ends = fields[1], fields[2], fields[3], fields[4]
local episode_began, episode_ends = fields[5], fields[6]
local strikes, strikes_end, ban_ends, bans, bans_end =
  fields[7], fields[8], fields[9], fields[10], fields[11]

-- What has ended is as if it had never been.
if minute_ends <= now then minute_used, minute_ends = 0, 0 end
if day_ends <= now then day_used, day_ends = 0, 0 end
if episode_ends <= now then episode_began, episode_ends = 0, 0 end
if strikes_end <= now then strikes, strikes_end = 0, 0 end
if ban_ends <= now then ban_ends = 0 end
if bans_end <= now then bans, bans_end = 0, 0 end

local function answer(admitted, began)
  return {
    now, admitted, minute_used, minute_ends, day_used, day_ends, ban_ends, strikes, began or 0,
  }
end

local function write(...)
  redis.call('HSET', KEYS[1], ...)
  local ends = math.max(minute_ends, day_ends, episode_ends, strikes_end, ban_ends, bans_end)
  redis.call('PEXPIRE', KEYS[1], ends - now)
end

if ban_ends > 0 then
  return answer(0)
end

if minute_used < minute_limit and (day_limit == 0 or day_used < day_limit) then
  if cost == 0 then
    return answer(1)
  end
  minute_used = minute_used + 1
  if minute_ends == 0 then minute_ends = now + MINUTE end
  if day_limit > 0 then
    day_used = day_used + 1
    if day_ends == 0 then day_ends = now + DAY end
  end
  -- An admitted request ends the episode.
  episode_began, episode_ends = 0, 0
  write('minute_used', minute_used, 'minute_ends', minute_ends,
    'day_used', day_used, 'day_ends', day_ends, 'episode_ends', 0)
  return answer(1)
end

if cost == 0 or threshold < 0 then
  return answer(0)
end

if episode_ends == 0 then
  episode_began, episode_ends = now, now + DAY
  write('episode_began', episode_began, 'episode_ends', episode_ends)
  return answer(0)
end
if now - episode_began < grace then
  return answer(0)
end

strikes = strikes + 1
if strikes_end == 0 then strikes_end = now + strike_window end
if strikes <= threshold then
  write('strikes', strikes, 'strikes_end', strikes_end)
  return answer(0)
end

bans = bans + 1
bans_end = now + memory
ban_ends = now + math.min(first_ban * 2 ^ (bans - 1), longest_ban)
strikes, strikes_end, episode_began, episode_ends = 0, 0, 0, 0
write('ban_ends', ban_ends, 'bans', bans, 'bans_end', bans_end, 'strikes_end', 0, 'episode_ends', 0)
return answer(0, 1)
