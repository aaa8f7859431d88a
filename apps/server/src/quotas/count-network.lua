-- Counts ARGV[1] requests of the network KEYS[1], by Redis's clock.
-- ARGV[2]  length of the window in milliseconds
-- ARGV[3]  in tests, the time to decide by
--
-- Returns the count, the milliseconds to the end of the window, and the time. The library's own script
-- returns no time: a replica would add its own clock to the remaining milliseconds, and replicas whose
-- clocks differ would report different resets. The end is stored, because TTL and TIME are read one
-- after the other and their sum would move by a millisecond now and then.

local now = tonumber(ARGV[3])
if not now then
  local time = redis.call('TIME')
  now = time[1] * 1000 + math.floor(time[2] / 1000)
end

local used, ends = 0, 0
local packed = redis.call('GET', KEYS[1])
if packed then used, ends = struct.unpack('>I4I6', packed) end
if ends <= now then used, ends = 0, now + ARGV[2] end
used = used + ARGV[1]
redis.call('SET', KEYS[1], struct.pack('>I4I6', used, ends), 'PX', ends - now)
return { used, ends - now, now }
