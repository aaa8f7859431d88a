-- Adds the answer for `key`, all integers: how many of its requests were admitted, used and end of the
-- minute, used and end of the day. If there is more to say, then also: how many requests were denied
-- after those (the rest is banned), end of the ban, strikes before the first denial and at the last,
-- and 1 if one of these requests began the ban.

if admitted == requests and ban_ends == 0 and strikes == 0 then
  reply[i + 1] = { admitted, minute_used, minute_ends, day_used, day_ends }
else
  reply[i + 1] = { admitted, minute_used, minute_ends, day_used, day_ends,
    denied, ban_ends, strikes_before, strikes_after, ban_began }
end
