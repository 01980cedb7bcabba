// The chat page: boot and handshake.
document.body.textContent = "";
