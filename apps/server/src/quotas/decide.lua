-- Decides requests atomically, by Redis's clock. `decide.ts` does the same for one request in memory.
--
-- KEYS     one or more API keys, all of them in one slot
-- ARGV     for each key: how many requests arrived, in order; the limit of its minute; of its day.
--          0 requests only look.
--          In tests, one more: the time to decide by.
--
-- Returns the time, and for each key an array of integers: how many of its requests were admitted;
-- used and end of the minute; used and end of the day. If there is more to say, then also: how many
-- requests were denied after those (the rest is banned); end of the ban; strikes before the first
-- denial and at the last; 1 if one of these requests began the ban.

local now = tonumber(ARGV[#KEYS * 3 + 1])
if not now then
  local time = redis.call('TIME')
  now = time[1] * 1000 + math.floor(time[2] / 1000)
end

local reply = { now }
for i, key in ipairs(KEYS) do
  local requests = tonumber(ARGV[i * 3 - 2])
  local minute_limit, day_limit = tonumber(ARGV[i * 3 - 1]), tonumber(ARGV[i * 3])
  local s = read_state(key, now)
  local strikes_before, was_banned = s.strikes, s.ban_ends > 0
  local admitted, denied, strikes = 0, 0, s.strikes

  if requests > 0 and not was_banned then
    admitted = math.max(0, math.min(requests, minute_limit - s.minute_used, day_limit - s.day_used))
    if admitted > 0 then
      s.minute_used, s.day_used = s.minute_used + admitted, s.day_used + admitted
      if s.minute_ends == 0 then s.minute_ends = now + 60000 end
      if s.day_ends == 0 then s.day_ends = now + 86400000 end
      -- An admitted request ends the episode.
      s.episode_began = 0
    end
    if admitted < requests then
      denied, strikes = judge_denials(s, requests - admitted, minute_limit, now)
    end
    write_state(key, s, now)
  end

  local answer = { admitted, s.minute_used, s.minute_ends, s.day_used, s.day_ends }
  if admitted < requests or s.ban_ends > 0 or strikes > 0 then
    local began = s.ban_ends > 0 and not was_banned and 1 or 0
    answer[6], answer[7], answer[8], answer[9], answer[10] =
      denied, s.ban_ends, strikes_before, strikes, began
  end
  reply[i + 1] = answer
end
return reply
