-- Decides the requests of `key`, the i-th of KEYS. `decide.ts` does the same for one request in memory.
--
-- The call asks for three numbers for each key: how many requests arrived, the limit of its minute, and
-- that of its day. 0 requests only look.

local requests, minute_limit, day_limit = asked[i * 3 - 2], asked[i * 3 - 1], asked[i * 3]

local admitted, denied = 0, 0
local strikes_before, strikes_after, ban_began = strikes, strikes, 0
local is_changed = requests > 0 and ban_ends == 0
if is_changed then
  admitted = math.max(0, math.min(requests, minute_limit - minute_used, day_limit - day_used))
  denied = requests - admitted
  if admitted > 0 then
    minute_used, day_used = minute_used + admitted, day_used + admitted
    if minute_ends == 0 then minute_ends = now + 60000 end
    if day_ends == 0 then day_ends = now + 86400000 end
    -- An admitted request ends the episode.
    episode_began = 0
  end
end
