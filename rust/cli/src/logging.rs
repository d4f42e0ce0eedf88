//! Diagnostics for developers: to standard error, and only when `SIDERAIL_LOG` asks for them.

use tracing_subscriber::EnvFilter;

/// Starts logging as the filter says, e.g. `debug` or `siderail_acp=trace`; without a filter
/// nothing is logged.
pub(crate) fn start(filter: Option<&str>) {
    if let Some(filter) = filter.filter(|filter| !filter.is_empty()) {
        let subscriber = tracing_subscriber::fmt()
            .with_env_filter(EnvFilter::new(filter))
            .with_writer(std::io::stderr)
            .with_ansi(false)
            .finish();
        // a second start keeps the first subscriber
        let _ = tracing::subscriber::set_global_default(subscriber);
    }
}
