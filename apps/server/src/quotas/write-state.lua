-- Writes the locals of read-state.lua back if `is_changed`.

if is_changed then
  -- An episode needs no time of its own: it ends when the window that denied has room again.
  local ends = math.max(minute_ends, day_ends, strikes_end, ban_ends, bans_end)
  if hash then
    redis.call('HSET', hash, 'minute_used', minute_used, 'minute_ends', minute_ends,
      'day_used', day_used, 'day_ends', day_ends, 'episode_began', episode_began,
      'episode_ends', episode_began + 86400000, 'strikes', strikes, 'strikes_end', strikes_end,
      'ban_ends', ban_ends, 'bans', bans, 'bans_end', bans_end)
    redis.call('PEXPIRE', hash, ends - now)
  else
    local state = struct.pack('>I4I6I4I6', minute_used, minute_ends, day_used, day_ends)
    if episode_began > 0 or strikes > 0 or bans > 0 then
      state = state ..
        struct.pack('>I6I4I6I6I4I6', episode_began, strikes, strikes_end, ban_ends, bans, bans_end)
    end
    if packed and ends == stored_until then
      redis.call('SET', key, state, 'KEEPTTL')
    else
      redis.call('SET', key, state, 'PX', ends - now)
    end
  end
end
