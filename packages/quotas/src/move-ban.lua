-- Moves the strikes, the ban and the earlier bans of a consumer to the Redis key of its new subject
-- (its account, or the consumer itself). The counts of both windows stay with the old subject. The
-- move is a single script, so that no unban and no request can run between its steps.
--
-- In a Cluster, the new Redis key may be in another slot, and one script cannot use two slots. The
-- replica then runs this script without KEYS[2], stores the returned ban state with `set-ban.lua`,
-- and runs this script again with the ban state that it has stored. Only the second run deletes the
-- ban state, if it is still the same. A replica that stops in between does not lose the ban: the
-- next move stores the ban state again.
--
-- KEYS[1]  the old Redis key of the ban state
-- KEYS[2]  the new Redis key of the ban state. It is missing in a Cluster, where it may be in another slot.
-- ARGV[1]  how many bytes of windows are in front of the ban state at KEYS[1]: 20, or 0 if there are none
-- ARGV[2]  how many bytes of windows are in front of the ban state at KEYS[2]
-- ARGV[3]  without KEYS[2]: the ban state that the replica has stored in the other slot
--
-- Returns false if nothing is left to move. Otherwise it returns an array: the ban state, and how long the state is
-- needed, in milliseconds.

-- Returns the end of a ban, and the strikes (denied requests that count towards a ban). If both
-- Redis keys have a ban state, the script keeps the state whose ban ends later. If both bans end at
-- the same time, it keeps the state with more strikes.
local function ban_rank(state)
  local _, strikes, _, banned_until = struct.unpack('>I6I4I6I6', state)
  return banned_until, strikes
end

local from, windows = KEYS[1], tonumber(ARGV[1])
local stored = redis.call('GET', from)
if not stored or #stored <= windows then return false end
local ban, ttl = string.sub(stored, windows + 1), redis.call('PTTL', from)
-- SET refuses an expiry of 0 and negative numbers. PTTL returns 0 in the last millisecond of a state.
-- It returns a negative number for a state without an expiry, for example after PERSIST. Such a state gets seven days,
-- the longest time for which earlier bans are remembered.
if ttl < 0 then ttl = 604800000 end
ttl = math.max(1, ttl)
local to = KEYS[2]
if not to and ban ~= ARGV[3] then return { ban, ttl } end

if windows == 0 then
  redis.call('DEL', from)
else
  redis.call('SET', from, string.sub(stored, 1, windows), 'KEEPTTL')
end

if not to then return false end
windows = tonumber(ARGV[2])
local present = redis.call('GET', to)
if present and #present > windows then
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
if not present then
  redis.call('SET', to, string.rep('\0', windows) .. ban, 'PX', ttl)
elseif ttl > redis.call('PTTL', to) then
  redis.call('SET', to, string.sub(present, 1, windows) .. ban, 'PX', ttl)
else
  redis.call('SET', to, string.sub(present, 1, windows) .. ban, 'KEEPTTL')
end
return { ban, ttl }
