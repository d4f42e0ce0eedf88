//! Whether another process is alive, and which of those that had its number it is, per operating
//! system.

#[cfg(target_os = "linux")]
mod linux;
#[cfg(target_vendor = "apple")]
mod macos;
#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(target_os = "linux")]
pub use linux::started;
#[cfg(target_vendor = "apple")]
pub use macos::started;
#[cfg(unix)]
pub use unix::is_alive;
#[cfg(windows)]
pub use windows::{is_alive, started};

/// Without a way to ask, nobody knows.
#[cfg(all(unix, not(target_os = "linux"), not(target_vendor = "apple")))]
pub fn started(_: u32) -> Option<u64> {
    None
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::{is_alive, started};

    #[test]
    fn a_process_lives_from_one_moment_on_until_it_has_ended() {
        let this = std::process::id();
        assert!(is_alive(this));
        assert!(started(this).is_some() && started(this) == started(this));
        let mut other = Command::new(std::env::current_exe().unwrap())
            .args(["--list", "--format=terse"])
            .stdout(std::process::Stdio::null())
            .spawn()
            .unwrap();
        let number = other.id();
        assert_ne!(started(number), None);
        assert!(other.wait().unwrap().success());
        drop(other);
        assert!(!is_alive(number));
        assert_eq!(started(number), None);
    }

    #[test]
    fn no_process_has_a_number_that_no_system_gives() {
        assert!(!is_alive(u32::MAX));
        assert_eq!(started(u32::MAX), None);
    }
}
