-- Stores the strikes, the ban and the earlier bans of a consumer under a new Redis key. In a
-- Cluster, the ban state moves from another slot, so one script cannot do the whole move. The
-- counts of both windows are the first bytes of the same string, and stay. `redis-format.ts`
-- describes this string.
--
-- KEYS[1]  the new Redis key
-- ARGV[1]  the ban state, packed
-- ARGV[2]  how long the ban state is needed, in milliseconds
-- ARGV[3]  how many bytes of windows are in front of the ban state at KEYS[1]: 20, or 0 if there are none

local to, ban, ttl, windows = KEYS[1], ARGV[1], ARGV[2], tonumber(ARGV[3])

-- Returns the end of a ban, and the strikes (denied requests that count towards a ban). If the new
-- Redis key already has a ban state, the script keeps the state whose ban ends later. If both bans
-- end at the same time, it keeps the state with more strikes.
local function ban_rank(state)
  local _, strikes, _, banned_until = struct.unpack('>I6I4I6I6', state)
  return banned_until, strikes
end

local present = redis.call('GET', to)
if not present then
  redis.call('SET', to, string.rep('\0', windows) .. ban, 'PX', ttl)
  return
end
if #present > windows then
  -- A request may have begun a ban under the new Redis key in the meantime. The script keeps the
  -- ban that ends later.
  local present_ban = string.sub(present, windows + 1)
  local banned_until, strikes = ban_rank(ban)
  local present_until, present_strikes = ban_rank(present_ban)
  if present_until > banned_until
    or (present_until == banned_until and present_strikes > strikes) then
    ban = present_ban
  end
end
if tonumber(ttl) > redis.call('PTTL', to) then
  redis.call('SET', to, string.sub(present, 1, windows) .. ban, 'PX', ttl)
else
  redis.call('SET', to, string.sub(present, 1, windows) .. ban, 'KEEPTTL')
end
