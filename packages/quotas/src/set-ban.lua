-- Stores the strikes, the ban and the earlier bans of a consumer under a new Redis key. In a
-- Cluster, they move from another slot, so one script cannot do the whole move. The counts of both
-- windows stay. They are the first bytes of the same string, which `redis-format.ts` describes.
--
-- KEYS[1]  the new Redis key
-- ARGV[1]  the ban state, packed
-- ARGV[2]  how long the ban state is needed, in milliseconds
-- ARGV[3]  how many bytes of windows are in front of the ban state at KEYS[1]: 20, or 0 if there are none

local to, ban, ttl, windows = KEYS[1], ARGV[1], ARGV[2], tonumber(ARGV[3])

-- Returns the end of a ban, and the strikes (denied requests that count towards a ban). If the new
-- Redis key already has a ban state, the script keeps the state whose ban ends later. If both bans
-- end at the same time, it keeps the state with more strikes.
local function rankOf(state)
  local _, strikes, _, bannedUntil = struct.unpack('>I6I4I6I6', state)
  return bannedUntil, strikes
end

local there = redis.call('GET', to)
if not there then
  redis.call('SET', to, string.rep('\0', windows) .. ban, 'PX', ttl)
  return
end
if #there > windows then
  -- A request may have begun a ban under the new Redis key in the meantime. The ban that ends later
  -- is kept.
  local own = string.sub(there, windows + 1)
  local bannedUntil, strikes = rankOf(ban)
  local ownUntil, ownStrikes = rankOf(own)
  if ownUntil > bannedUntil or (ownUntil == bannedUntil and ownStrikes > strikes) then ban = own end
end
if tonumber(ttl) > redis.call('PTTL', to) then
  redis.call('SET', to, string.sub(there, 1, windows) .. ban, 'PX', ttl)
else
  redis.call('SET', to, string.sub(there, 1, windows) .. ban, 'KEEPTTL')
end
