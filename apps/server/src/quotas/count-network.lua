-- Counts requests of the networks KEYS, by Redis's clock.
-- ARGV[1]      length of the window in milliseconds
-- ARGV[1 + i]  how many requests the i-th network sent
-- and last     in tests, the time to decide by
--
-- Returns the time, then for each network the count and the milliseconds to the end of the window. The
-- library's own script returns no time: a replica would add its own clock to the remaining milliseconds,
-- and replicas whose clocks differ would report different resets. The end is stored, because TTL and
-- TIME are read one after the other and their sum would move by a millisecond now and then.

local now = tonumber(ARGV[#KEYS + 2])
if not now then
  local time = redis.call('TIME')
  now = time[1] * 1000 + math.floor(time[2] / 1000)
end
local reply = { now }

for i, key in ipairs(KEYS) do
  local used, ends = 0, 0
  local packed = redis.call('GET', key)
  if packed then used, ends = struct.unpack('>I4I6', packed) end
  if ends <= now then used, ends = 0, now + ARGV[1] end
  used = used + ARGV[1 + i]
  redis.call('SET', key, struct.pack('>I4I6', used, ends), 'PX', ends - now)
  reply[i + 1] = { used, ends - now }
end
return reply
