-- Reads the state of `key` into locals. Ends are Unix times in milliseconds; 0 means that the window is
-- not open, or that there is no episode or ban.
--
-- The state is one packed string of 20 bytes, and 30 more while there is an episode, a strike or a ban.
-- Until the version after this one, it may also be a hash of the version before. It stays a hash until
-- its day ends, so that old and new replicas count as one during a rolling update. See "Rolling out" in
-- the server's README.

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
  -- Once its day is over, the rest moves to a packed string, which is found first from then on.
  if day_ends <= now then hash = nil end
end
local stored_until = math.max(minute_ends, day_ends, strikes_end, ban_ends, bans_end)

-- Treat expired windows and an expired ban as empty.
if minute_ends <= now then minute_used, minute_ends = 0, 0 end
if day_ends <= now then day_used, day_ends = 0, 0 end
if strikes_end <= now then strikes, strikes_end = 0, 0 end
if bans_end <= now then bans, bans_end = 0, 0 end
if ban_ends <= now then ban_ends = 0 end
