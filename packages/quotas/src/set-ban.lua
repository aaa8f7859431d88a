-- Adds the strikes, the ban and the earlier bans that a consumer brings from another slot of a Cluster to what is there.
-- The counts of both windows stay: they are the first bytes of its state, which `redis-format.ts` describes.
--
-- KEYS[1]  where the ban state goes
-- ARGV[1]  the ban state, packed
-- ARGV[2]  how long it is needed, in milliseconds
-- ARGV[3]  how many bytes of windows are in front of the ban state at KEYS[1]: 20, or 0 if it is alone

local to, ban, ttl, windows = KEYS[1], ARGV[1], ARGV[2], tonumber(ARGV[3])

-- The end of a ban, and the strikes.
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
  -- A request may have begun a ban there: the later end holds.
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
