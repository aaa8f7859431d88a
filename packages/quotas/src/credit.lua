-- Empties both windows of a subject. The ban state of a key without an account stays, also if a request
-- begins a ban at the same moment: Redis runs nothing else between the read and the write of a script.
--
-- KEYS[1]  the name of the windows: 20 bytes, which the ban state may follow

local state = redis.call('GET', KEYS[1])
if state and #state > 20 then
  redis.call('SET', KEYS[1], string.rep('\0', 20) .. string.sub(state, 21), 'KEEPTTL')
else
  redis.call('DEL', KEYS[1])
end
