-- Deletes the strikes (denied requests that count towards a ban), the ban and the earlier bans of a
-- consumer. The script deletes them under both possible Redis keys, because the account of the
-- consumer may get or lose a plan at the same moment. The counts of both windows stay.
--
-- KEYS       the Redis keys under which the ban state may be stored: with the windows of the consumer itself, or alone,
--            while the consumer shares the windows of its account. In a Cluster there is only one Redis key, because
--            the two Redis keys are in different slots.
-- ARGV[1]    the current time in milliseconds, or an empty string for the clock of Redis
-- ARGV[2]    the ban policy, as for decide.lua
-- ARGV[n+2]  how many bytes of windows are in front of the ban state at KEYS[n]: 20, or 0 if there are none
--
-- Returns the strikes, and the end of the ban in milliseconds, each 0 if there is none. If there
-- are two ban states, it returns the one whose ban ends later.

local now = tonumber(ARGV[1])
if not now then
  local time = redis.call('TIME')
  now = time[1] * 1000 + math.floor(time[2] / 1000)
end

local policy = cjson.decode(ARGV[2])

local ended_strikes, ended_ban = 0, 0
for index, name in ipairs(KEYS) do
  local windows = tonumber(ARGV[index + 2])
  local state = redis.call('GET', name)
  if state and #state > windows then
    local _, strikes, strikes_end, ban_ends, bans, bans_end =
      struct.unpack('>I6I4I6I6I4I6', state, windows + 1)
    if strikes_end <= now then strikes = 0 end
    if bans_end <= now then bans = 0 end
    if ban_ends <= now then ban_ends = 0 end
    -- A ban that begins now would end one ban length from now. If the stored ban ends later than
    -- that, the clock was set back after the ban was stored. The script then returns the earlier
    -- end.
    local ban_length = math.min(policy[5] * 2 ^ (math.max(bans, 1) - 1), policy[6])
    ban_ends = math.min(ban_ends, now + ban_length)
    if ban_ends > ended_ban or (ban_ends == ended_ban and strikes > ended_strikes) then
      ended_strikes, ended_ban = strikes, ban_ends
    end
    if windows == 0 then
      redis.call('DEL', name)
    else
      redis.call('SET', name, string.sub(state, 1, windows), 'KEEPTTL')
    end
  end
end
return { ended_strikes, ended_ban }
