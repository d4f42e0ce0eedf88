//! The same tool on rmcp: over a socket, ahead of which our relay says its hello line, or over stdio.

use std::path::Path;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ServerCapabilities,
    ServerConfig,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler, ServiceExt};
use tokio::io::AsyncReadExt;
use tokio::net::{UnixListener, UnixStream};
use tokio::runtime::{Builder, Runtime};

use crate::Failure;

struct Echo;

impl ServerHandler for Echo {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let text = request
            .arguments
            .as_ref()
            .and_then(|arguments| arguments["text"].as_str());
        let text = ContentBlock::text(text.unwrap_or_default());
        Ok(CallToolResult::success(vec![text]).into())
    }
}

/// The runtime of both servers.
pub(super) fn runtime() -> Result<Runtime, Failure> {
    Ok(Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()?)
}

/// Serves until killed.
pub(crate) fn serve(folder: Option<&str>) -> Result<(), Failure> {
    runtime()?.block_on(async {
        let Some(folder) = folder else {
            let service = Echo.serve(rmcp::transport::stdio()).await?;
            service.waiting().await?;
            return Ok(());
        };
        let socket = Path::new(folder).join("socket");
        let listener = UnixListener::bind(&socket)?;
        println!("SIDERAIL_SOCKET={}", socket.display());
        println!("SIDERAIL_TOKEN=none");
        loop {
            let (mut stream, _) = listener.accept().await?;
            tokio::spawn(async move {
                skip_hello(&mut stream).await?;
                let service = Echo.serve(stream.into_split()).await?;
                service.waiting().await?;
                Ok::<(), Failure>(())
            });
        }
    })
}

async fn skip_hello(stream: &mut UnixStream) -> Result<(), Failure> {
    while stream.read_u8().await? != b'\n' {}
    Ok(())
}
