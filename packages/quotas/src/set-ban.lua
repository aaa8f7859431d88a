-- Replaces the strikes, the ban and the earlier bans of an API key that is its own subject. The counts of
-- both windows stay: they are the first 20 bytes of its state, which `redis-format.ts` describes.
--
-- KEYS[1]  where the state of the key is
-- ARGV[1]  the new ban state, packed; empty for none
-- ARGV[2]  how long it is needed, in milliseconds

local state = redis.call('GET', KEYS[1])
if state then
  local changed = string.sub(state, 1, 20) .. ARGV[1]
  if tonumber(ARGV[2]) > redis.call('PTTL', KEYS[1]) then
    redis.call('SET', KEYS[1], changed, 'PX', ARGV[2])
  else
    redis.call('SET', KEYS[1], changed, 'KEEPTTL')
  end
elseif #ARGV[1] > 0 then
  redis.call('SET', KEYS[1], string.rep('\0', 20) .. ARGV[1], 'PX', ARGV[2])
end
