//! Times of the history as people write them. Pure: the caller passes the time.

/// A time in milliseconds since 1970 as a date of the calendar, in UTC.
pub fn date(at: u64) -> String {
    let seconds = at / 1000;
    let (days, rest) = (seconds / 86_400, seconds % 86_400);
    // Years from March on, in eras of 400 years, so that the leap day is a year's last.
    let shifted = days + 719_468;
    let (era, day) = (shifted / 146_097, shifted % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day_of_year = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = era * 400 + year + u64::from(month <= 2);
    let (hour, minute) = (rest / 3_600, rest % 3_600 / 60);
    format!("{year}-{month:02}-{day:02} {hour:02}:{minute:02} UTC")
}

#[cfg(test)]
mod tests {
    use super::date;

    #[test]
    fn days_of_the_calendar_come_out_right_around_leap_days_and_ends_of_years() {
        for (seconds, expected) in [
            (0, "1970-01-01 00:00 UTC"),
            (951_782_399, "2000-02-28 23:59 UTC"),
            (951_782_400, "2000-02-29 00:00 UTC"),
            (1_735_689_599, "2024-12-31 23:59 UTC"),
            (4_107_542_400, "2100-03-01 00:00 UTC"),
        ] {
            assert_eq!(date(seconds * 1000), expected);
        }
    }
}
