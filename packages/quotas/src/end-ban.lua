-- Deletes the strikes, the ban and the earlier bans of an API key wherever they may be: it is not known whether its
-- account has just got or lost a plan. The counts of both windows stay.
--
-- KEYS[1]  where the state of the key is while it is its own subject: windows of 20 bytes, then the ban state
-- KEYS[2]  where its ban state is while it shares the windows of its account; absent without an account, and in a
--          Cluster, where it is in another slot

local state = redis.call('GET', KEYS[1])
if state and #state > 20 then
  redis.call('SET', KEYS[1], string.sub(state, 1, 20), 'KEEPTTL')
end
if KEYS[2] then redis.call('DEL', KEYS[2]) end
