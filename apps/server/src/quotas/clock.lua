-- Sets `now`, in milliseconds by Redis's clock. Tests may send the time to decide by as an argument
-- after those of the keys.

local now = tonumber(ARGV[#KEYS * 3 + 1])
if not now then
  local time = redis.call('TIME')
  now = time[1] * 1000 + math.floor(time[2] / 1000)
end
local reply = { now }
