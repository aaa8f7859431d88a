-- Reads and writes everything that is kept about one key: one packed string of 20 bytes, and 30 more
-- while there is an episode, a strike or a ban. Ends are Unix times in milliseconds; 0 means that the
-- window is not open, or that there is no episode or ban.
--
-- Until the version after this one, a key may also be a hash, written by the version before. It stays
-- a hash until its day ends, so that old and new replicas count as one during a rolling update. See
-- "Rolling out" in the server's README.

local WINDOWS, BANS, WINDOWS_SIZE = '>I4I6I4I6', '>I6I4I6I6I4I6', 20

local function hash_of(key)
  return 'animal-store:quota:' .. string.match(key, '{.*}')
end

local function read_hash(key, now)
  local hash = hash_of(key)
  local fields = redis.call('HMGET', hash, 'minute_used', 'minute_ends', 'day_used', 'day_ends',
    'episode_began', 'episode_ends', 'strikes', 'strikes_end', 'ban_ends', 'bans', 'bans_end')
  for i = 1, #fields do fields[i] = tonumber(fields[i] or 0) end
  local episode_began = fields[6] > now and fields[5] or 0
  -- Once its day is over, the rest moves to a packed string, which is found first from then on.
  if fields[4] <= now then hash = nil end
  return fields[1], fields[2], fields[3], fields[4], episode_began,
    fields[7], fields[8], fields[9], fields[10], fields[11], hash
end

local function read_state(key, now)
  local s = { episode_began = 0, strikes = 0, strikes_end = 0, ban_ends = 0, bans = 0, bans_end = 0 }
  local packed = redis.call('GET', key)
  if packed then
    s.minute_used, s.minute_ends, s.day_used, s.day_ends = struct.unpack(WINDOWS, packed)
    if #packed > WINDOWS_SIZE then
      s.episode_began, s.strikes, s.strikes_end, s.ban_ends, s.bans, s.bans_end =
        struct.unpack(BANS, packed, WINDOWS_SIZE + 1)
    end
  else
    s.minute_used, s.minute_ends, s.day_used, s.day_ends, s.episode_began,
      s.strikes, s.strikes_end, s.ban_ends, s.bans, s.bans_end, s.hash = read_hash(key, now)
  end
  -- Treat expired windows and an expired ban as empty.
  if s.minute_ends <= now then s.minute_used, s.minute_ends = 0, 0 end
  if s.day_ends <= now then s.day_used, s.day_ends = 0, 0 end
  if s.strikes_end <= now then s.strikes, s.strikes_end = 0, 0 end
  if s.bans_end <= now then s.bans, s.bans_end = 0, 0 end
  if s.ban_ends <= now then s.ban_ends = 0 end
  return s
end

local function write_state(key, s, now)
  -- An episode needs no time of its own: it ends when the window that denied has room again.
  local expires_in = math.max(s.minute_ends, s.day_ends, s.strikes_end, s.ban_ends, s.bans_end) - now
  if s.hash then
    redis.call('HSET', s.hash, 'minute_used', s.minute_used, 'minute_ends', s.minute_ends,
      'day_used', s.day_used, 'day_ends', s.day_ends, 'episode_began', s.episode_began,
      'episode_ends', s.episode_began + 86400000, 'strikes', s.strikes, 'strikes_end', s.strikes_end,
      'ban_ends', s.ban_ends, 'bans', s.bans, 'bans_end', s.bans_end)
    redis.call('PEXPIRE', s.hash, expires_in)
    return
  end
  local packed = struct.pack(WINDOWS, s.minute_used, s.minute_ends, s.day_used, s.day_ends)
  if s.episode_began + s.strikes + s.bans > 0 then
    packed = packed ..
      struct.pack(BANS, s.episode_began, s.strikes, s.strikes_end, s.ban_ends, s.bans, s.bans_end)
  end
  redis.call('SET', key, packed, 'PX', expires_in)
end
