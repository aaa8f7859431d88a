-- Calls every command that the scripts of this folder and of rate-limiter-flexible call, so that a probe fails if Redis
-- refuses one of them to this user.
--
-- KEYS[1]  a name for probes

local name = KEYS[1]
redis.call('TIME')
redis.call('SET', name, '1', 'PX', 1000)
redis.call('GET', name)
redis.call('MGET', name)
redis.call('PTTL', name)
redis.call('INCRBY', name, 0)
redis.call('DEL', name)
