// Tells the platform's page that its window or frame may close (LTI Dynamic Registration 1.0).
document.getElementById("close").addEventListener("click", () => {
  const opener = window.opener || window.parent;
  opener.postMessage({ subject: "org.imsglobal.lti.close" }, "*");
});
