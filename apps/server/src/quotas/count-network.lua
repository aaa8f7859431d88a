-- Counts a request of the network `key`, the i-th of KEYS. The call asks for one number: the length of
-- the window in milliseconds.
--
-- Answers with the count and the milliseconds to the end of the window. The library's own script returns
-- no time: a replica would add its own clock to the remaining milliseconds, and replicas whose clocks
-- differ would report different resets. The end is stored, because TTL and TIME are read one after the
-- other and their sum would move by a millisecond now and then.

local used, ends = 0, 0
local packed = redis.call('GET', key)
if packed then used, ends = struct.unpack('>I4I6', packed) end
if ends <= now then used, ends = 0, now + asked[1] end
used = used + 1
redis.call('SET', key, struct.pack('>I4I6', used, ends), 'PX', ends - now)
reply[i + 1] = { used, ends - now }
