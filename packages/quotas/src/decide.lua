-- Decides requests of API keys at one instant: by both windows of their subjects, and by the strikes and
-- bans of the keys. The subject of a key is its account, or the key itself if it has no account.
-- `decide.ts` does the same for one request in memory; tests compare both with a model.
--
-- KEYS     for each API key the name of its subject's windows, and then the name of its strikes and ban,
--          if they are stored under another name
-- ARGV[1]  JSON array, four numbers for each API key: how many of KEYS it has, how many requests arrived
--          (0 reads without counting), the limit of its subject's minute, and the limit of the day
-- ARGV[2]  JSON array, the ban policy: grace, smallest threshold (0: no bans), threshold as a share of the
--          limit per minute, then the lengths of the strikes' window, of a first ban, of the longest ban,
--          and of the memory of bans. `BanPolicy` in the contract explains them. Lengths are in milliseconds.
-- ARGV[3]  in tests, the time by which the script decides; otherwise it uses Redis's time. The clock of a test may
--          stand still while Redis's continues, so the state is then stored a minute longer
--
-- Returns a JSON array: the time, then for each key an array of integers: how many of its requests were
-- admitted, used and end of the minute, used and end of the day. If a request was denied or there are
-- strikes or a ban, then also: how many requests were denied (the rest is banned), end of the ban, strikes before the first
-- denial and after the last, 1 if one of these requests began the ban, and the end of the strikes.
--
-- Times are Unix times in milliseconds. An end of 0 means that the window is not open, or that there is no
-- ban or strike. Arguments and reply are JSON, because Redis and Node read and write it in native code. With an
-- argument for each number, a call took Node twice as long. The script has no functions and tables for each key,
-- because they would cost Redis a quarter more time.

local asked = cjson.decode(ARGV[1])
local now, keep_longer = tonumber(ARGV[3]), 60000
if not now then
  keep_longer = 0
  local time = redis.call('TIME')
  now = time[1] * 1000 + math.floor(time[2] / 1000)
end
local reply = { now }
-- The policy is decoded when a request is denied, because most calls do not need it.
local policy

local names = 0
for i = 1, #asked / 4 do
  local is_apart, requests = asked[i * 4 - 3] == 2, asked[i * 4 - 2]
  local minute_limit, day_limit = asked[i * 4 - 1], asked[i * 4]

  -- 1. Read the state: a packed string of 20 bytes with the windows, and 32 more bytes while there
  -- is an episode, a strike or a ban. A key that shares its windows has these 32 bytes in a string
  -- of its own. `redis-format.ts` describes both.
  local minute_used, minute_ends, day_used, day_ends = 0, 0, 0, 0
  local episode_began, strikes, strikes_end, ban_ends, bans, bans_end = 0, 0, 0, 0, 0, 0
  names = names + 1
  local windows_at, packed, ban_at, packed_ban = KEYS[names]
  if is_apart then
    names = names + 1
    ban_at = KEYS[names]
    local both = redis.call('MGET', windows_at, ban_at)
    packed, packed_ban = both[1], both[2]
    if packed_ban then
      episode_began, strikes, strikes_end, ban_ends, bans, bans_end =
        struct.unpack('>I6I4I6I6I4I6', packed_ban)
    end
  else
    packed = redis.call('GET', windows_at)
  end
  if packed then
    minute_used, minute_ends, day_used, day_ends = struct.unpack('>I4I6I4I6', packed)
    if #packed > 20 then
      episode_began, strikes, strikes_end, ban_ends, bans, bans_end =
        struct.unpack('>I6I4I6I6I4I6', packed, 21)
    end
  end
  local stored_until = math.max(minute_ends, day_ends)
  if not is_apart then stored_until = math.max(stored_until, strikes_end, ban_ends, bans_end) end

  -- 2. Treat expired windows and an expired ban as empty. A window that ends later than its full
  -- length from now was stored before the clock was set back. It begins again now, with its count.
  -- Otherwise it would stay full for as long as the clock was wrong.
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
  -- During a ban requests change nothing.
  if requests > 0 and not is_banned then

    -- 3. Admit as many as both windows have room for. Each costs one in both.
    admitted = math.max(0, math.min(requests, minute_limit - minute_used, day_limit - day_used))
    if admitted > 0 then
      minute_used, day_used = minute_used + admitted, day_used + admitted
      if minute_ends == 0 then minute_ends = now + 60000 end
      if day_ends == 0 then day_ends = now + 86400000 end
      -- An admitted request ends the episode.
      episode_began = 0
    end

    -- 4. Deny the others. Each denial begins an episode, is a strike, or begins a ban.
    denied = requests - admitted
    if denied > 0 then
      policy = policy or cjson.decode(ARGV[2])
      local grace, min_strikes, strike_share, strike_window, first_ban, longest_ban, ban_memory =
        unpack(policy)
      if min_strikes > 0 then
        local new_strikes = denied
        -- An episode of an earlier window is over: the key has waited, and other keys of its
        -- account have used up the new window.
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
        -- Requests that were in flight when the quota ran out are not "repeated requests after a 429".
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
          -- A ban clears the strikes and the episode that led to it.
          strikes, strikes_end, episode_began = 0, 0, 0
        elseif new_strikes > 0 then
          strikes = strikes + new_strikes
          strikes_after = strikes
          if strikes_end == 0 then strikes_end = now + strike_window end
        end
      end
    end
  end

  -- During a ban the state is written only if step 2 has changed it.
  if requests > 0 and (not is_banned or windows_changed or ban_ends ~= stored_ban_ends) then

    -- 5. Write the state. An episode in the same string needs no end of its own, because it ends
    -- when the window that denied has room again.
    local ends = math.max(minute_ends, day_ends)
    local state = struct.pack('>I4I6I4I6', minute_used, minute_ends, day_used, day_ends)
    local ban_state = ''
    if episode_began > 0 or strikes > 0 or bans > 0 then
      ban_state =
        struct.pack('>I6I4I6I6I4I6', episode_began, strikes, strikes_end, ban_ends, bans, bans_end)
    end
    if not is_apart then
      ends = math.max(ends, strikes_end, ban_ends, bans_end)
      state = state .. ban_state
    elseif #ban_state > 0 then
      local needed_until = math.max(denied_until, strikes_end, ban_ends, bans_end)
      redis.call('SET', ban_at, ban_state, 'PX', needed_until - now + keep_longer)
    elseif packed_ban then
      redis.call('DEL', ban_at)
    end
    if is_apart and ends == 0 then
      -- Both windows have expired during the ban.
      redis.call('DEL', windows_at)
    elseif admitted > 0 or windows_changed or not is_apart then
      if packed and ends == stored_until then
        redis.call('SET', windows_at, state, 'KEEPTTL')
      else
        redis.call('SET', windows_at, state, 'PX', ends - now + keep_longer)
      end
    end
  end

  -- 6. Reply.
  if admitted == requests and ban_ends == 0 and strikes == 0 then
    reply[i + 1] = { admitted, minute_used, minute_ends, day_used, day_ends }
  else
    reply[i + 1] = { admitted, minute_used, minute_ends, day_used, day_ends,
      denied, ban_ends, strikes_before, strikes_after, ban_began, strikes_end }
  end
end

return cjson.encode(reply)
