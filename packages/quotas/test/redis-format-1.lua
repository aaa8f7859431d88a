-- The script of commit `be430f2`, the last release of format 1, without its comments. The test
-- defines the ban policy in front of it.

local asked = cjson.decode(ARGV[1])
local now = tonumber(ARGV[2])
if not now then
  local time = redis.call('TIME')
  now = time[1] * 1000 + math.floor(time[2] / 1000)
end
local reply = { now }
for i, key in ipairs(KEYS) do

local minute_used, minute_ends, day_used, day_ends
local episode_began, strikes, strikes_end, ban_ends, bans, bans_end = 0, 0, 0, 0, 0, 0
local hash

local packed = redis.call('GET', key)
if packed then
  minute_used, minute_ends, day_used, day_ends = struct.unpack('>I4I6I4I6', packed)
  if #packed > 20 then
    episode_began, strikes, strikes_end, ban_ends, bans, bans_end =
      struct.unpack('>I6I4I6I6I4I6', packed, 21)
  end
else
  hash = 'animal-store:quota:' .. string.match(key, '{.*}')
  local fields = redis.call('HMGET', hash, 'minute_used', 'minute_ends', 'day_used', 'day_ends',
    'episode_began', 'episode_ends', 'strikes', 'strikes_end', 'ban_ends', 'bans', 'bans_end')
  for f = 1, #fields do fields[f] = tonumber(fields[f] or 0) end
  local episode_ends
  minute_used, minute_ends, day_used, day_ends, episode_began, episode_ends,
    strikes, strikes_end, ban_ends, bans, bans_end = unpack(fields)
  if episode_ends <= now then episode_began = 0 end
  if day_ends <= now then hash = nil end
end
local stored_until = math.max(minute_ends, day_ends, strikes_end, ban_ends, bans_end)

if minute_ends <= now then minute_used, minute_ends = 0, 0 end
if day_ends <= now then day_used, day_ends = 0, 0 end
if strikes_end <= now then strikes, strikes_end = 0, 0 end
if bans_end <= now then bans, bans_end = 0, 0 end
if ban_ends <= now then ban_ends = 0 end

local requests, minute_limit, day_limit = asked[i * 3 - 2], asked[i * 3 - 1], asked[i * 3]

local admitted, denied = 0, 0
local strikes_before, strikes_after, ban_began = strikes, strikes, 0
local is_changed = requests > 0 and ban_ends == 0
if is_changed then
  admitted = math.max(0, math.min(requests, minute_limit - minute_used, day_limit - day_used))
  denied = requests - admitted
  if admitted > 0 then
    minute_used, day_used = minute_used + admitted, day_used + admitted
    if minute_ends == 0 then minute_ends = now + 60000 end
    if day_ends == 0 then day_ends = now + 86400000 end
    episode_began = 0
  end
end

if denied > 0 and MIN_STRIKES > 0 then
  local new_strikes = denied
  if episode_began == 0 then
    episode_began = now
    new_strikes = denied - 1
  end
  if now - episode_began < GRACE then new_strikes = 0 end
  local threshold = math.max(MIN_STRIKES, math.floor(minute_limit * STRIKE_SHARE))
  local allowed = math.max(0, threshold - strikes)

  if new_strikes > allowed then
    denied = denied - new_strikes + allowed
    strikes_after = strikes + allowed
    ban_began = 1
    bans = bans + 1
    bans_end = now + BAN_MEMORY
    ban_ends = now + math.min(FIRST_BAN * 2 ^ (bans - 1), LONGEST_BAN)
    strikes, strikes_end, episode_began = 0, 0, 0
  elseif new_strikes > 0 then
    strikes = strikes + new_strikes
    if strikes_end == 0 then strikes_end = now + STRIKE_WINDOW end
    strikes_after = strikes
  end
end

if is_changed then
  local ends = math.max(minute_ends, day_ends, strikes_end, ban_ends, bans_end)
  if hash then
    redis.call('HSET', hash, 'minute_used', minute_used, 'minute_ends', minute_ends,
      'day_used', day_used, 'day_ends', day_ends, 'episode_began', episode_began,
      'episode_ends', episode_began + 86400000, 'strikes', strikes, 'strikes_end', strikes_end,
      'ban_ends', ban_ends, 'bans', bans, 'bans_end', bans_end)
    redis.call('PEXPIRE', hash, ends - now)
  else
    local state = struct.pack('>I4I6I4I6', minute_used, minute_ends, day_used, day_ends)
    if episode_began > 0 or strikes > 0 or bans > 0 then
      state = state ..
        struct.pack('>I6I4I6I6I4I6', episode_began, strikes, strikes_end, ban_ends, bans, bans_end)
    end
    if packed and ends == stored_until then
      redis.call('SET', key, state, 'KEEPTTL')
    else
      redis.call('SET', key, state, 'PX', ends - now)
    end
  end
end

if admitted == requests and ban_ends == 0 and strikes == 0 then
  reply[i + 1] = { admitted, minute_used, minute_ends, day_used, day_ends }
else
  reply[i + 1] = { admitted, minute_used, minute_ends, day_used, day_ends,
    denied, ban_ends, strikes_before, strikes_after, ban_began }
end
end
return cjson.encode(reply)
