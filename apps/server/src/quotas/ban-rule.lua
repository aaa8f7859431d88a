-- Counts the denials of `key`, all at the same instant: each begins an episode, is a strike, or begins a
-- ban. `ban-rule.ts` does the same in memory; the rule is explained at `BanPolicy` in the contract.
-- Afterwards `denied` is how many requests were denied before a ban began.

if denied > 0 and MIN_STRIKES > 0 then
  local new_strikes = denied
  if episode_began == 0 then
    episode_began = now
    new_strikes = denied - 1
  end
  -- Requests that were in flight when the quota ran out are not "repeated requests after a 429".
  if now - episode_began < GRACE then new_strikes = 0 end
  local threshold = math.max(MIN_STRIKES, math.floor(minute_limit * STRIKE_SHARE))
  local allowed = math.max(0, threshold - strikes)

  if new_strikes > allowed then
    denied = denied - new_strikes + allowed
    strikes_after = strikes + allowed
    ban_began = 1
    bans = bans + 1
    bans_end = now + BAN_MEMORY
    ban_ends = now + math.min(FIRST_BAN * 2 ^ (bans - 1), LONGEST_BAN)
    -- A ban clears the strikes and the episode that led to it.
    strikes, strikes_end, episode_began = 0, 0, 0
  elseif new_strikes > 0 then
    strikes = strikes + new_strikes
    if strikes_end == 0 then strikes_end = now + STRIKE_WINDOW end
    strikes_after = strikes
  end
end
