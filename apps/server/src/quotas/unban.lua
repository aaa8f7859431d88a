-- Ends the ban of `key`, and forgets its strikes and earlier bans. The counts stay.

episode_began, strikes, strikes_end, ban_ends, bans, bans_end = 0, 0, 0, 0, 0, 0
local is_changed = minute_ends > 0 or day_ends > 0
if not is_changed then
  redis.call('DEL', key, 'animal-store:quota:' .. string.match(key, '{.*}'))
end
