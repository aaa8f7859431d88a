-- Calls every command that the scripts of this folder and of rate-limiter-flexible use. So a probe
-- fails if the user of this connection is not allowed to run one of them.
--
-- KEYS[1]  a Redis key for probes

local name = KEYS[1]
redis.call('TIME')
redis.call('SET', name, '1', 'PX', 1000)
redis.call('GET', name)
redis.call('MGET', name)
redis.call('PTTL', name)
redis.call('INCRBY', name, 0)
redis.call('DEL', name)
