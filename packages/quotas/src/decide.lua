-- Decides requests of consumers at one instant. A request is admitted only if both windows of the
-- consumer's subject have requests left, and if the consumer is not banned. The subject of a
-- consumer is its account, or the consumer itself if it has no account. `decide.ts` follows the
-- same rules for one request in memory. Tests compare both with a model.
--
-- KEYS     for each consumer, the Redis key of its subject's windows. The Redis key of its strikes (denied requests
--          that count towards a ban) and its ban follows, if they are stored under another Redis key.
-- ARGV[1]  a JSON array with four numbers for each consumer: how many of the KEYS belong to it, how many requests
--          arrived (0 only reads the state), the limit per minute, and the limit per day
-- ARGV[2]  a JSON array with the ban policy: `graceMs`, `minStrikes`, `strikeShare`, `strikeWindowSeconds`,
--          `banSeconds`, `maxBanSeconds` and `memorySeconds`. In this array, all times are in milliseconds. The type
--          `BanPolicy` explains them.
-- ARGV[3]  the time of the decision, only in tests. Otherwise, the script uses the clock of Redis. With a fake clock,
--          the state is stored a minute longer, because the clock of Redis continues while the fake clock stands still.
--
-- Returns a JSON array with the time of the decision, and an array of integers for each consumer:
--   1. how many of its requests were admitted
--   2. used and end of the minute, used and end of the day
-- If a request was denied, or the consumer has strikes or a ban, these numbers follow:
--   3. how many requests were denied; the remaining requests are refused because of a ban
--   4. the end of the ban, the strikes before the first and after the last denied request
--   5. 1 if one of the requests began the ban, otherwise 0; and the end of the strikes
--
-- All times are Unix times in milliseconds. An end of 0 means that there is no open window, no ban
-- or no strike.
--
-- Arguments and reply are JSON, because Redis and Node read and write JSON in native code. With one
-- argument for each number, a call took twice as much time in Node. The script uses no functions,
-- and no tables for each consumer, because they would cost Redis a quarter more time.

local consumers = cjson.decode(ARGV[1])
local now, keep_longer = tonumber(ARGV[3]), 60000
if not now then
  keep_longer = 0
  local time = redis.call('TIME')
  now = time[1] * 1000 + math.floor(time[2] / 1000)
end
local reply = { now }
-- The ban policy is decoded only when it is needed, because most calls admit all requests and do
-- not use it.
local policy

local key_index = 0
for i = 1, #consumers / 4 do
  local has_ban_key, requests = consumers[i * 4 - 3] == 2, consumers[i * 4 - 2]
  local minute_limit, day_limit = consumers[i * 4 - 1], consumers[i * 4]

  -- 1. Read the state. It is a packed string of 20 bytes with the windows. While there is an
  --   episode (a series of denied requests), a strike or a ban, 32 more bytes follow. If a consumer
  --   shares the windows of its account, these 32 bytes are a separate string. `redis-format.ts`
  --   describes both forms.
  local minute_used, minute_ends, day_used, day_ends = 0, 0, 0, 0
  local episode_began, strikes, strikes_end, ban_ends, bans, bans_end = 0, 0, 0, 0, 0, 0
  key_index = key_index + 1
  local windows_key, packed, ban_key, packed_ban = KEYS[key_index]
  if has_ban_key then
    key_index = key_index + 1
    ban_key = KEYS[key_index]
    local both = redis.call('MGET', windows_key, ban_key)
    packed, packed_ban = both[1], both[2]
    if packed_ban then
      episode_began, strikes, strikes_end, ban_ends, bans, bans_end =
        struct.unpack('>I6I4I6I6I4I6', packed_ban)
    end
  else
    packed = redis.call('GET', windows_key)
  end
  if packed then
    minute_used, minute_ends, day_used, day_ends = struct.unpack('>I4I6I4I6', packed)
    if #packed > 20 then
      episode_began, strikes, strikes_end, ban_ends, bans, bans_end =
        struct.unpack('>I6I4I6I6I4I6', packed, 21)
    end
  end
  local stored_until = math.max(minute_ends, day_ends)
  if not has_ban_key then stored_until = math.max(stored_until, strikes_end, ban_ends, bans_end) end

  -- 2. Treat expired windows and an expired ban as empty. A window that begins now ends one window
  --   length from now. If a stored window ends later than that, the clock was set back after the
  --   window was stored. The window then begins again now, and keeps its count. Otherwise it would
  --   stay full until the clock reaches the stored end.
  local stored_minute_ends, stored_day_ends, stored_ban_ends = minute_ends, day_ends, ban_ends
  if minute_ends <= now then minute_used, minute_ends = 0, 0 end
  if day_ends <= now then day_used, day_ends = 0, 0 end
  minute_ends = math.min(minute_ends, now + 60000)
  day_ends = math.min(day_ends, now + 86400000)
  if strikes_end <= now then strikes, strikes_end = 0, 0 end
  if bans_end <= now then bans, bans_end = 0, 0 end
  if ban_ends <= now then ban_ends = 0 end
  if episode_began > 0 or strikes > 0 or bans > 0 then
    policy = policy or cjson.decode(ARGV[2])
    local ban_length = math.min(policy[5] * 2 ^ (math.max(bans, 1) - 1), policy[6])
    episode_began = math.min(episode_began, now)
    strikes_end = math.min(strikes_end, now + policy[4])
    bans_end = math.min(bans_end, now + policy[7])
    ban_ends = math.min(ban_ends, now + ban_length)
  end
  local windows_changed = minute_ends ~= stored_minute_ends or day_ends ~= stored_day_ends

  local admitted, denied, denied_until = 0, 0, 0
  local strikes_before, strikes_after, ban_began = strikes, strikes, 0
  local is_banned = ban_ends > 0
  -- During a ban, requests are not counted.
  if requests > 0 and not is_banned then

    -- 3. Admit as many requests as both windows have left. Each admitted request counts in both
    --   windows.
    admitted = math.max(0, math.min(requests, minute_limit - minute_used, day_limit - day_used))
    if admitted > 0 then
      minute_used, day_used = minute_used + admitted, day_used + admitted
      if minute_ends == 0 then minute_ends = now + 60000 end
      if day_ends == 0 then day_ends = now + 86400000 end
      -- An admitted request ends the current episode of denied requests.
      episode_began = 0
    end

    -- 4. Deny the other requests. A denied request may begin an episode of denied requests, be a
    --   strike that counts towards a ban, or begin a ban.
    denied = requests - admitted
    if denied > 0 then
      policy = policy or cjson.decode(ARGV[2])
      local grace, min_strikes, strike_share, strike_window, first_ban, longest_ban, ban_memory =
        unpack(policy)
      if min_strikes > 0 then
        local new_strikes = denied
        -- The full window may have been opened after the episode (the series of denied requests)
        -- began. Other keys of the account have then used up the new window, and the old episode is
        -- over. So this denied request begins a new episode, and is not a strike.
        local full_since = now
        if minute_used >= minute_limit then
          full_since, denied_until = minute_ends - 60000, minute_ends
        end
        if day_used >= day_limit then
          full_since = math.min(full_since, day_ends - 86400000)
          denied_until = math.max(denied_until, day_ends)
        end
        if episode_began < full_since then
          episode_began = now
          new_strikes = denied - 1
        end
        -- Requests within the grace period may have been in flight when the quota ran out, so they
        -- do not count towards a ban.
        if now - episode_began < grace then new_strikes = 0 end
        local threshold = math.max(min_strikes, math.floor(minute_limit * strike_share))
        local allowed = math.max(0, threshold - strikes)

        if new_strikes > allowed then
          denied = denied - new_strikes + allowed
          strikes_after = strikes + allowed
          ban_began = 1
          bans = bans + 1
          bans_end = now + ban_memory
          ban_ends = now + math.min(first_ban * 2 ^ (bans - 1), longest_ban)
          -- A ban deletes the strikes and the episode of denied requests that led to it.
          strikes, strikes_end, episode_began = 0, 0, 0
        elseif new_strikes > 0 then
          strikes = strikes + new_strikes
          strikes_after = strikes
          if strikes_end == 0 then strikes_end = now + strike_window end
        end
      end
    end
  end

  -- During a ban, the script writes the state only if step 2 of this script has changed a window or
  -- the end of the ban.
  if requests > 0 and (not is_banned or windows_changed or ban_ends ~= stored_ban_ends) then

    -- 5. Write the state. An episode of denied requests ends when the window that denied them ends.
    -- So the episode needs its own expiry only if it is stored apart from the windows.
    local ends = math.max(minute_ends, day_ends)
    local state = struct.pack('>I4I6I4I6', minute_used, minute_ends, day_used, day_ends)
    local ban_state = ''
    if episode_began > 0 or strikes > 0 or bans > 0 then
      ban_state =
        struct.pack('>I6I4I6I6I4I6', episode_began, strikes, strikes_end, ban_ends, bans, bans_end)
    end
    if not has_ban_key then
      ends = math.max(ends, strikes_end, ban_ends, bans_end)
      state = state .. ban_state
    elseif #ban_state > 0 then
      local needed_until = math.max(denied_until, strikes_end, ban_ends, bans_end)
      redis.call('SET', ban_key, ban_state, 'PX', needed_until - now + keep_longer)
    elseif packed_ban then
      redis.call('DEL', ban_key)
    end
    if has_ban_key and ends == 0 then
      -- Both windows have expired during the ban, so the string with the windows is deleted.
      redis.call('DEL', windows_key)
    elseif admitted > 0 or windows_changed or not has_ban_key then
      if packed and ends == stored_until then
        redis.call('SET', windows_key, state, 'KEEPTTL')
      else
        redis.call('SET', windows_key, state, 'PX', ends - now + keep_longer)
      end
    end
  end

  -- 6. Append the result to the reply.
  if admitted == requests and ban_ends == 0 and strikes == 0 then
    reply[i + 1] = { admitted, minute_used, minute_ends, day_used, day_ends }
  else
    reply[i + 1] = { admitted, minute_used, minute_ends, day_used, day_ends,
      denied, ban_ends, strikes_before, strikes_after, ban_began, strikes_end }
  end
end

return cjson.encode(reply)
