-- Sets the request counts of both windows of a subject (an account, or a consumer without an account) to
-- zero. The ban state of a consumer without an account stays, even if a request begins a ban at the same
-- moment. Redis runs no other command between the read and the write of a script.
--
-- KEYS[1]  the Redis key of the windows. They are 20 bytes, and the ban state may follow them in the same string.

local state = redis.call('GET', KEYS[1])
if state and #state > 20 then
  redis.call('SET', KEYS[1], string.rep('\0', 20) .. string.sub(state, 21), 'KEEPTTL')
else
  redis.call('DEL', KEYS[1])
end
