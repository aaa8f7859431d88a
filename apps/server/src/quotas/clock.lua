-- ARGV[1]  what the call asks for, as JSON: an array of numbers
-- ARGV[2]  in tests, the time to decide by
--
-- Sets `now`, in milliseconds by Redis's clock. The reply is JSON too, because Redis and Node read and
-- write it in native code: with an argument for each number, a call took Node twice as long.

local asked = cjson.decode(ARGV[1])
local now = tonumber(ARGV[2])
if not now then
  local time = redis.call('TIME')
  now = time[1] * 1000 + math.floor(time[2] / 1000)
end
local reply = { now }
