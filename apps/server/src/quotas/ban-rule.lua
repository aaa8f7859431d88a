-- Counts `denials` of one key at the same instant: each begins an episode, is a strike, or begins a
-- ban. `ban-rule.ts` does the same in memory; the rule is explained at `BanPolicy` in the contract.
--
-- Returns how many were denied before a ban began, and the strikes at the last of these.

local function judge_denials(s, denials, minute_limit, now)
  if MIN_STRIKES == 0 then return denials, 0 end
  local strikes = denials
  if s.episode_began == 0 then
    s.episode_began = now
    strikes = denials - 1
  end
  -- Requests that were in flight when the quota ran out are not "repeated requests after a 429".
  if strikes == 0 or now - s.episode_began < GRACE then return denials, s.strikes end

  local threshold = math.max(MIN_STRIKES, math.floor(minute_limit * STRIKE_SHARE))
  local allowed = math.max(0, threshold - s.strikes)
  if strikes <= allowed then
    s.strikes = s.strikes + strikes
    if s.strikes_end == 0 then s.strikes_end = now + STRIKE_WINDOW end
    return denials, s.strikes
  end

  local last_strikes = s.strikes + allowed
  s.bans = s.bans + 1
  s.bans_end = now + BAN_MEMORY
  s.ban_ends = now + math.min(FIRST_BAN * 2 ^ (s.bans - 1), LONGEST_BAN)
  -- A ban clears the strikes and the episode that led to it.
  s.strikes, s.strikes_end, s.episode_began = 0, 0, 0
  return denials - strikes + allowed, last_strikes
end
