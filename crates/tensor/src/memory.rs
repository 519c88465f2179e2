//! How much memory the process may still take, so that a tensor that would not fit is refused before the system kills the process for it.
//!
//! Memory is given by the system before it has any: an allocation larger than the machine succeeds, and the process ends when it is used.

use std::fs;

/// Less than this is not asked about.
const SMALLEST_ASKED: usize = 256 << 20;
/// More than this at once is never given.
const LARGEST: usize = 1 << 36;

/// Whether there may be memory for so many bytes at once.
pub(crate) fn has_room(bytes: usize) -> bool {
    bytes < SMALLEST_ASKED || bytes <= LARGEST && available().is_none_or(|left| bytes <= left)
}

/// The bytes that the machine, or the process's control group, still has; `None` where the system does not tell.
fn available() -> Option<usize> {
    let machine = fs::read_to_string("/proc/meminfo").ok().and_then(|text| of_meminfo(&text));
    let of = |name: &str| fs::read_to_string(format!("/sys/fs/cgroup/memory.{name}")).ok();
    let group = (|| of_group(&of("max")?, &of("current")?, &of("stat")?))();
    match (machine, group) {
        (Some(m), Some(g)) => Some(m.min(g)),
        (m, g) => m.or(g),
    }
}

fn of_meminfo(text: &str) -> Option<usize> {
    let line = text.lines().find_map(|l| l.strip_prefix("MemAvailable:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<usize>().ok()?.checked_mul(1024)
}

/// What a control group may still take. Cached files count as used there, but make room when memory is wanted.
fn of_group(max: &str, current: &str, stat: &str) -> Option<usize> {
    let max: usize = max.trim().parse().ok()?;
    let cached = stat.lines().filter_map(|l| l.strip_prefix("active_file ").or_else(|| l.strip_prefix("inactive_file ")));
    let cached: usize = cached.filter_map(|n| n.trim().parse::<usize>().ok()).sum();
    Some(max.saturating_sub(current.trim().parse::<usize>().ok()?.saturating_sub(cached)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_is_read_from_the_system() {
        assert_eq!(of_meminfo("MemTotal: 10 kB\nMemAvailable:    2048 kB\n"), Some(2 << 20));
        assert_eq!(of_meminfo("MemTotal: 10 kB\n"), None);
        assert_eq!(of_group("1000\n", "400\n", "anon 300\n"), Some(600));
        assert_eq!(of_group("1000\n", "990\n", "anon 10\nactive_file 300\ninactive_file 600\n"), Some(910));
        assert_eq!(of_group("max\n", "400\n", ""), None);
    }

    #[test]
    fn what_no_machine_has_is_refused() {
        assert!(has_room(0) && has_room(1 << 20) && !has_room(LARGEST + 1) && !has_room(usize::MAX));
    }
}
