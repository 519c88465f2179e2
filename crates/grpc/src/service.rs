//! `Service`: what answers calls. Calls are answered by callback, from any thread.

use crate::codec::ContentPath;
use crate::frame::Message;
use crate::segments::Segments;
use ferroflow_distributed::{CallOptions, Done};
use std::sync::Arc;

/// Called once with the response, or with the status that the call ends with.
pub(crate) type Respond = Done<Segments>;

/// One gRPC service.
pub(crate) trait Service: Send + Sync {
    /// The path in front of its methods, `/tensorflow.WorkerService/`.
    fn prefix(&self) -> &'static str;

    /// Where requests of a method have their large memory; `None` for a method that does not exist.
    fn request_content(&self, method: &str) -> Option<ContentPath>;

    /// Answers a call of a method that exists. It must not block: it runs on the thread that does the network's work.
    fn call(&self, method: &str, request: Message, options: CallOptions, respond: Respond);
}

/// The services of a port, and what it is called in messages.
pub(crate) struct Services {
    pub(crate) name: String,
    /// What ferroflow peers are told of the local socket.
    pub(crate) door: Option<http::HeaderValue>,
    pub(crate) services: Vec<Arc<dyn Service>>,
}

impl Services {
    /// The service and the method of a path.
    pub(crate) fn find<'a>(&self, path: &'a str) -> Option<(&Arc<dyn Service>, &'a str, ContentPath)> {
        self.services.iter().find_map(|s| {
            let method = path.strip_prefix(s.prefix())?;
            Some((s, method, s.request_content(method)?))
        })
    }
}

/// Reads a request, or answers with why it cannot be read.
pub(crate) fn decoded<M: prost::Message + Default>(request: &Message, respond: Respond, then: impl FnOnce(M, Respond)) {
    match request.decode() {
        Ok(message) => then(message, respond),
        Err(e) => respond(Err(e)),
    }
}

/// Answers with a message made of the result.
pub(crate) fn replied<T: 'static, M: prost::Message>(respond: Respond, message: impl FnOnce(T) -> M + Send + 'static) -> Done<T> {
    Box::new(move |result| respond(result.and_then(|value| Segments::of_message(&message(value)))))
}
