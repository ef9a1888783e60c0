-- Has wrk send what the environment says: nothing of it stands in the list of processes.
wrk.method = os.getenv("METHOD")
wrk.body = os.getenv("BODY")
wrk.headers["Authorization"] = os.getenv("AUTHORIZATION")
if wrk.body then wrk.headers["Content-Type"] = "application/json" end
