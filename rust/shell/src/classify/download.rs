//! Downloads: what is printed comes from the network, what is saved is remembered.

use crate::ir::{Arg, Origin, Stream};
use crate::judge::Judge;
use crate::paths::Target;
use crate::program::Call;
use ecow::EcoString;

impl Judge<'_> {
    pub(crate) fn aria2(&mut self, call: Call<'_>) -> Stream {
        let options = call.options();
        let folder = options.value("d", "dir").map(|arg| arg.text.clone());
        self.saves_urls(options.value("o", "out"), folder, options.files(), call);
        Stream::printed(Origin::Program)
    }

    pub(crate) fn curl(&mut self, call: Call<'_>) -> Stream {
        let options = call.options();
        let local: Vec<Target> = options
            .files()
            .iter()
            .filter_map(|url| url.strip_prefix("file://"))
            .map(|path| self.target(&path))
            .collect();
        self.reads(call.text, &local);
        let folder = options.value("", "output-dir").map(|arg| arg.text.clone());
        if let Some(file) = options.value("o", "output") {
            if matches!(file.text.as_str(), "-" | "/dev/stdout") {
                return Stream::printed(Origin::Download);
            }
            self.saves_urls(Some(file), folder, &[], call);
            // -w and -v still print, and not what was downloaded.
            return Stream::printed(Origin::Program);
        }
        if options.has("O", "remote-name") || options.has("", "remote-name-all") {
            self.saves_urls(None, folder, options.files(), call);
            return Stream::printed(Origin::Program);
        }
        Stream::printed(Origin::Download)
    }

    pub(crate) fn wget(&mut self, call: Call<'_>) -> Stream {
        let options = call.options();
        let folder = options
            .value("P", "directory-prefix")
            .map(|arg| arg.text.clone());
        match options.value("O", "output-document") {
            Some(file) if matches!(file.text.as_str(), "-" | "/dev/stdout") => {
                return Stream::printed(Origin::Download);
            }
            Some(file) => self.saves_urls(Some(file), None, &[], call),
            None => self.saves_urls(None, folder, options.files(), call),
        }
        Stream::printed(Origin::Program)
    }

    /// Remembers the file that is named, or the ones that addresses end in.
    pub(crate) fn saves_urls(
        &mut self,
        file: Option<&Arg>,
        folder: Option<EcoString>,
        urls: &[&Arg],
        call: Call<'_>,
    ) {
        let named = file.map(|file| file.text.clone());
        let names = named.into_iter().chain(urls.iter().map(|url| {
            let path = url.text.split(['?', '#']).next().unwrap_or_default();
            path.rsplit('/').next().unwrap_or_default().into()
        }));
        for name in names.filter(|name| !name.is_empty()) {
            let path = match &folder {
                Some(folder) => format!("{folder}/{name}"),
                None => name.into(),
            };
            let target = self.target(&Arg::new(path));
            self.leaves(&target);
            self.overwrites(call.text, std::slice::from_ref(&target));
            self.downloaded(&target.path);
        }
    }
}
