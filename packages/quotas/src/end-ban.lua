-- Deletes the strikes, the ban and the earlier bans of an API key in both possible places, because its account may have
-- got or lost a plan just now. The counts of both windows stay.
--
-- KEYS[1]  the state of the key while it has its own windows: windows of 20 bytes, then the ban state
-- KEYS[2]  its ban state while it shares the windows of its account; absent without an account, and in a Cluster,
--          because it is in another slot

local state = redis.call('GET', KEYS[1])
if state and #state > 20 then
  redis.call('SET', KEYS[1], string.sub(state, 1, 20), 'KEEPTTL')
end
if KEYS[2] then redis.call('DEL', KEYS[2]) end
