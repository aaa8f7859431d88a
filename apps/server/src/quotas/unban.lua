-- Ends the ban of KEYS[1], and forgets its strikes and earlier bans. The counts stay.

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local s = read_state(KEYS[1], now)
s.episode_began, s.strikes, s.strikes_end, s.ban_ends, s.bans, s.bans_end = 0, 0, 0, 0, 0, 0
if s.minute_ends > 0 or s.day_ends > 0 then
  write_state(KEYS[1], s, now)
else
  redis.call('DEL', KEYS[1], hash_of(KEYS[1]))
end
