-- Deletes the strikes, the ban and the earlier bans of an API key in both possible places, because its account may have
-- got or lost a plan just now. The counts of both windows stay.
--
-- KEYS       where the ban state may be: after the windows of a key that is its own subject, or alone, while the key
--            shares the windows of its account. In a Cluster one of them, because they are in different slots
-- ARGV[1]    the time in milliseconds; an empty text for the clock of Redis
-- ARGV[n+1]  how many bytes of windows are in front of the ban state at KEYS[n]: 20, or 0 if it is alone
--
-- Returns the strikes, and the end of the ban in milliseconds; 0 for none. Of two states, it returns the one whose ban
-- ends later.

local now = tonumber(ARGV[1])
if not now then
  local time = redis.call('TIME')
  now = time[1] * 1000 + math.floor(time[2] / 1000)
end

local ended_strikes, ended_ban = 0, 0
for index, name in ipairs(KEYS) do
  local windows = tonumber(ARGV[index + 1])
  local state = redis.call('GET', name)
  if state and #state > windows then
    local _, strikes, strikes_end, ban_ends = struct.unpack('>I6I4I6I6', state, windows + 1)
    if strikes_end <= now then strikes = 0 end
    if ban_ends <= now then ban_ends = 0 end
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
