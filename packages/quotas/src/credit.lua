-- Empties both windows of a subject. The ban state of a key that is its own subject stays, also if a request
-- begins a ban at the same moment: nothing comes between the reading and the writing of a script.
--
-- KEYS[1]  where the windows are: 20 bytes, which the ban state may follow

local state = redis.call('GET', KEYS[1])
if state and #state > 20 then
  redis.call('SET', KEYS[1], string.rep('\0', 20) .. string.sub(state, 21), 'KEEPTTL')
else
  redis.call('DEL', KEYS[1])
end
